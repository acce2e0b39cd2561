// Motion that arrives frame by frame: one figure, played a little behind the newest frame, with what lies between frames.
//
//   const live = new LiveScene({ fps, manifest }, number, x, z, points);   of the first frame
//   viewport.setData({ scene: live.scene });
//   live.push(number, x, z, points);                                       for every later one

import { box } from "./decode.js";

const BEHIND = 0.03; // seconds that are kept between what is shown and the newest frame
const ROOM = 1.1; // display units around the first pose that have to be seen

export class LiveScene {
  constructor({ fps, manifest }, number, x, z, points) {
    this.fps = fps;
    this.frames = [{ number, x, z, points: Float32Array.from(points) }];
    this.at = number;
    const told = manifest.shapes[0], body = manifest.bodies?.[told.body ?? 0] ?? null;
    const shape = {
      ...told, body, count: points.length / 3, frames: 1, frameTime: 1 / fps, duration: 1e-6, standing: null, gaps: false,
      points: Float32Array.from(points), ground: Float32Array.of(x, z), kind: told.kind ?? "figure", name: told.name ?? "", role: told.role ?? "variant",
    };
    shape.box = roomy(box(shape.points, shape.ground));
    this.shape = shape;
    this.scene = {
      shapes: [shape], placements: [{ shape: 0 }], duration: 1e-6, title: manifest.title ?? "", layout: "row",
      legend: { [shape.role]: "live", ...(manifest.legend ?? {}) }, live: this,
    };
  }

  get newest() { return this.frames[this.frames.length - 1].number; }

  push(number, x, z, points) {
    if (number < this.newest) { this.frames = []; this.at = number; } // begun anew
    this.frames.push({ number, x, z, points: Float32Array.from(points) });
    while (this.frames.length > 2 * this.fps) { this.frames.shift(); this.at = Math.max(this.at, this.frames[0].number); } // nobody looks
  }

  // On by some seconds: slower when the frames run short, faster when they pile up.
  advance(seconds) {
    const lag = (this.newest - this.at) / this.fps;
    const pace = lag < BEHIND ? 0.9 : lag > 0.25 ? 4 : lag > 3 * BEHIND ? 1.1 : 1;
    this.at = Math.min(this.at + seconds * this.fps * pace, this.newest);
    while (this.frames.length > 2 && this.frames[1].number <= this.at) this.frames.shift();
    this.show();
  }

  show() {
    const [before, after = before] = this.frames, { points, ground } = this.shape;
    const share = after === before ? 0 : Math.min(Math.max((this.at - before.number) / (after.number - before.number), 0), 1);
    for (let k = 0; k < points.length; k++) points[k] = before.points[k] * (1 - share) + after.points[k] * share;
    ground[0] = before.x * (1 - share) + after.x * share;
    ground[1] = before.z * (1 - share) + after.z * share;
  }
}

function roomy({ low, high, nearLow, nearHigh }) {
  const wider = (corner, by) => [corner[0] + by, corner[1], corner[2] + by];
  return { low: wider(low, -ROOM), high: wider(high, ROOM), nearLow: wider(nearLow, -ROOM), nearHigh: wider(nearHigh, ROOM) };
}
