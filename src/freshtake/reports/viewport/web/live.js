// Live motion: one figure, played slightly behind the newest frame and interpolated between frames.
//
//   const live = new LiveScene({ fps, manifest, data }, number, x, z, points, turns);   // the first frame
//   viewport.setData({ scene: live.scene });
//   live.push(number, x, z, points, turns);                                             // every later frame
//
// `data` is the manifest's scene as base64, with the neutral body if one is shown. `turns` are the
// rotations of its bones, empty if there is none.

import { box, decode } from "./decode.js";

const BEHIND = 0.03; // seconds between the frame shown and the newest frame
const ROOM = 1.1; // display units around the first pose that must be visible

export class LiveScene {
  constructor({ fps, manifest, data = "" }, number, x, z, points, turns = []) {
    this.fps = fps;
    this.frames = [{ number, x, z, points: Float32Array.from(points), turns: Float32Array.from(turns) }];
    this.at = number;
    const entry = manifest.shapes[0], body = manifest.bodies?.[entry.body ?? 0] ?? null;
    const first = data ? decode({ manifest, buffer: Uint8Array.from(atob(data), (one) => one.charCodeAt(0)).buffer }) : null;
    const worn = turns.length && first?.shapes[0].wear ? { wear: first.shapes[0].wear, turns: Float32Array.from(turns) } : { wear: undefined, turns: undefined };
    const shape = {
      ...entry, body, ...worn, skin: undefined, count: points.length / 3, frames: 1, frameTime: 1 / fps, duration: 1e-6, standing: null, gaps: false,
      points: Float32Array.from(points), ground: Float32Array.of(x, z), kind: entry.kind ?? "figure", name: entry.name ?? "", role: entry.role ?? "variant",
    };
    shape.box = roomy(box(shape.points, shape.ground));
    this.shape = shape;
    this.scene = {
      shapes: [shape], placements: [{ shape: 0 }], duration: 1e-6, title: manifest.title ?? "", layout: "row",
      legend: { [shape.role]: "live", ...(manifest.legend ?? {}) }, live: this, neutral: worn.wear ? first.neutral : null,
    };
  }

  get newest() { return this.frames[this.frames.length - 1].number; }

  push(number, x, z, points, turns = []) {
    if (number < this.newest) { this.frames = []; this.at = number; } // restarted
    this.frames.push({ number, x, z, points: Float32Array.from(points), turns: Float32Array.from(turns) });
    while (this.frames.length > 2 * this.fps) { this.frames.shift(); this.at = Math.max(this.at, this.frames[0].number); } // not played in the meantime, for example in a hidden page
  }

  // Advances by some seconds: slower when frames run short, faster when they pile up.
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
    if (this.shape.wear) mixTurns(this.shape.turns, before.turns, after.turns, share);
    ground[0] = before.x * (1 - share) + after.x * share;
    ground[1] = before.z * (1 - share) + after.z * share;
  }
}

// Interpolates quaternions along the shorter arc; mannequins.js normalizes them.
function mixTurns(out, before, after, share) {
  for (let k = 0; k < out.length; k += 4) {
    const same = before[k] * after[k] + before[k + 1] * after[k + 1] + before[k + 2] * after[k + 2] + before[k + 3] * after[k + 3] < 0 ? -share : share;
    for (let j = k; j < k + 4; j++) out[j] = before[j] * (1 - share) + after[j] * same;
  }
}

function roomy({ low, high, nearLow, nearHigh }) {
  const wider = (corner, by) => [corner[0] + by, corner[1], corner[2] + by];
  return { low: wider(low, -ROOM), high: wider(high, ROOM), nearLow: wider(nearLow, -ROOM), nearHigh: wider(nearHigh, ROOM) };
}
