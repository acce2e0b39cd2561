// Bodies in motion: every placed figure writes the ends of its bones, once per frame.

import { poseAt } from "./decode.js";
import { Bones } from "./bones.js";
import { colorOf } from "./look.js";

const MANY = 120; // with more figures, bones have fewer triangles and each figure has one shadow

export class Figures {
  constructor(THREE, scene, shared, shadows, dim) {
    this.placed = scene.placements
      .map((placement, number) => ({ ...placement, number, of: scene.shapes[placement.shape] }))
      .filter((one) => one.of.kind === "figure");
    const total = this.placed.reduce((sum, one) => sum + one.of.body.bones.length / 2, 0);
    const many = this.placed.length > MANY;
    this.bones = total ? new Bones(THREE, total, { shared, shadows: many ? null : shadows, detail: many ? 0 : 1 }) : null;
    this.blobs = many ? new Bones(THREE, this.placed.length, { shared, shadows, detail: 0 }) : null;
    this.pose = new Float32Array(3 * Math.max(1, ...this.placed.map((one) => one.of.count)));
    this.place = new Float32Array(2);
    this.roots = new Float32Array(3 * scene.placements.length);
    if (total) this.paint(THREE, scene, many, dim);
  }

  get meshes() {
    return [...(this.bones?.meshes ?? []), ...(this.blobs ? [this.blobs.meshes[1]] : [])];
  }

  paint(THREE, scene, many) {
    const counts = {};
    for (const one of this.placed) counts[one.of.role] = (counts[one.of.role] ?? 0) + 1;
    const seen = {};
    let bone = 0;
    for (const one of this.placed) {
      const { body, role } = one.of;
      seen[role] = (seen[role] ?? 0) + 1;
      one.color = colorOf(THREE, role, seen[role], counts[role]);
      one.first = bone;
      for (let k = 0; k < body.shades.length; k++, bone++) {
        this.bones.radii.array.set([body.radii[2 * k], body.radii[2 * k + 1]], 2 * bone);
        this.bones.tint.array.set([one.color.r, one.color.g, one.color.b, one.of.skin || one.of.wear ? -1 : body.shades[k]], 4 * bone);
      }
    }
    if (many) this.blobs.radii.array.fill(0.22);
  }

  // All figures at a time in seconds. `layout` has x, z per placement; `inPlace` removes travel.
  update(seconds, layout, inPlace) {
    if (!this.bones) return;
    const ends = this.bones.ends.array, pose = this.pose;
    let write = 0;
    this.placed.forEach((one, index) => {
      poseAt(one.of, timeOf(one, seconds), pose, this.place);
      const bones = one.of.body.bones;
      const cos = Math.cos(one.turn ?? 0), sin = Math.sin(one.turn ?? 0);
      const shiftX = layout.x[one.number], shiftZ = layout.z[one.number];
      const lessX = inPlace ? this.place[0] : 0, lessZ = inPlace ? this.place[1] : 0;
      for (let k = 0; k < bones.length; k++, write += 3) {
        const at = 3 * bones[k], x = pose[at] - lessX, z = pose[at + 2] - lessZ;
        ends[write] = x * cos + z * sin + shiftX;
        ends[write + 1] = pose[at + 1];
        ends[write + 2] = z * cos - x * sin + shiftZ;
      }
      const x = this.place[0] - lessX, z = this.place[1] - lessZ;
      const root = 3 * one.number;
      this.roots[root] = x * cos + z * sin + shiftX;
      this.roots[root + 2] = z * cos - x * sin + shiftZ;
      if (this.blobs) {
        const blob = this.blobs.ends.array;
        blob[6 * index] = blob[6 * index + 3] = this.roots[root];
        blob[6 * index + 2] = blob[6 * index + 5] = this.roots[root + 2];
      }
    });
    this.bones.changed();
    this.blobs?.changed();
  }

  dispose() { this.bones?.dispose(); this.blobs?.dispose(); }
}

// The local time of a placed shape: members of a crowd start at different times and loop.
export function timeOf(one, seconds) {
  const own = seconds + (one.start ?? 0);
  return one.loop && one.of.duration > 0 ? own % one.of.duration : own;
}

const GHOSTS = [-0.45, -0.3, -0.15, 0.15, 0.3, 0.45]; // seconds

export class Ghosts {
  constructor(THREE, figures, shared) {
    this.of = figures.placed.slice(0, 16);
    const total = this.of.reduce((sum, one) => sum + one.of.body.shades.length, 0) * GHOSTS.length;
    this.bones = total ? new Bones(THREE, total, { shared, opacity: 0.16, detail: 0.6 }) : null;
    this.figures = figures;
    let bone = 0;
    for (const _ of GHOSTS) {
      for (const one of this.of) {
        const { shades, radii } = one.of.body;
        for (let k = 0; k < shades.length; k++, bone++) {
          this.bones.radii.array.set([radii[2 * k] * 0.9, radii[2 * k + 1] * 0.9], 2 * bone);
          this.bones.tint.array.set([one.color.r, one.color.g, one.color.b, shades[k]], 4 * bone);
        }
      }
    }
  }

  update(seconds, layout, inPlace) {
    if (!this.bones) return;
    const ends = this.bones.ends.array, { pose, place } = this.figures;
    let write = 0;
    for (const away of GHOSTS) {
      for (const one of this.of) {
        poseAt(one.of, timeOf(one, seconds) + away, pose, place);
        const lessX = inPlace ? place[0] : 0, lessZ = inPlace ? place[1] : 0;
        const { bones } = one.of.body;
        for (let k = 0; k < bones.length; k++, write += 3) {
          const at = 3 * bones[k];
          ends[write] = pose[at] - lessX + layout.x[one.number];
          ends[write + 1] = pose[at + 1];
          ends[write + 2] = pose[at + 2] - lessZ + layout.z[one.number];
        }
      }
    }
    this.bones.changed();
  }

  dispose() { this.bones?.dispose(); }
}
