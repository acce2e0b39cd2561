// Decodes the description and the block of bytes that packing.py makes into shapes with arrays of floats.

const UNSEEN = -32768;
export const HIDDEN = -1e4; // height of a marker that is not visible: far below the floor

export function decode({ manifest, buffer, scene }) {
  if (scene) return scene; // live motion is already floats: see live.js
  const skins = (manifest.skins ?? []).map((entry) => skin(entry, buffer));
  const wears = (manifest.wears ?? []).map(({ joints, binds }) => ({ joints, binds: Float32Array.from(binds) }));
  const shapes = manifest.shapes.map((entry) => shape(entry, manifest.bodies, skins, wears, buffer));
  const placements = manifest.placements ?? shapes.map((_, number) => ({ shape: number }));
  const duration = Math.max(1e-6, ...shapes.map((one) => one.duration));
  return { shapes, placements, duration, title: manifest.title ?? "", layout: manifest.layout ?? "", legend: manifest.legend ?? {}, neutral: manifest.neutral ? neutral(manifest.neutral, buffer) : null };
}

function shape(entry, bodies, skins, wears, buffer) {
  const { frames, count, frameTime } = entry;
  const ground = new Float32Array(buffer, entry.ground, frames * 2);
  const whole = new Int16Array(buffer, entry.points, frames * count * 3);
  const points = new Float32Array(whole.length);
  for (let frame = 0, k = 0; frame < frames; frame++) {
    const x = ground[2 * frame], z = ground[2 * frame + 1];
    for (let point = 0; point < count; point++, k += 3) {
      if (whole[k] === UNSEEN) { points[k] = x; points[k + 1] = HIDDEN; points[k + 2] = z; continue; }
      points[k] = whole[k] * entry.step + x;
      points[k + 1] = whole[k + 1] * entry.step;
      points[k + 2] = whole[k + 2] * entry.step + z;
    }
  }
  const body = entry.body === undefined ? null : bodies[entry.body];
  const standing = entry.standing === undefined ? null
    : new Uint8Array(buffer, entry.standing, frames * body.feet.length);
  const faces = entry.faces === undefined ? null : new Uint32Array(buffer, entry.faces, entry.faceCount * 3);
  const worn = entry.skin === undefined ? {}
    : { skin: skins[entry.skin], matrices: new Float32Array(buffer, entry.matrices, frames * entry.joints * 12) };
  if (entry.wear !== undefined) Object.assign(worn, { wear: wears[entry.wear], turns: new Int16Array(buffer, entry.turns, frames * wears[entry.wear].joints.length * 4) });
  if (entry.unusual !== undefined) worn.unusual = new Uint8Array(buffer, entry.unusual, frames * wears[entry.wear].joints.length);
  const all = { ...entry, ground, points, body, standing, faces, ...worn, duration: (frames - 1) * frameTime, box: box(points, ground) };
  if (all.skin) widen(all);
  return all;
}

// A skin extends beyond its joints: widens the box by a sample of its vertices over time.
function widen({ box: { low, high, nearLow, nearHigh }, skin: { vertices, joints, weights }, matrices, ground, frames, joints: count }) {
  const step = Math.max(1, Math.floor(vertices.length / 3 / 500)), every = Math.max(1, Math.floor(frames / 12));
  for (let frame = 0; frame < frames; frame += every) {
    for (let v = 0; v < vertices.length / 3; v += step) {
      for (let axis = 0; axis < 3; axis++) {
        let value = 0;
        for (let k = 0; k < 4; k++) {
          const m = (frame * count + joints[4 * v + k]) * 12 + 4 * axis;
          value += weights[4 * v + k] * (matrices[m] * vertices[3 * v] + matrices[m + 1] * vertices[3 * v + 1] + matrices[m + 2] * vertices[3 * v + 2] + matrices[m + 3]);
        }
        const near = axis === 1 ? value : value - ground[2 * frame + (axis >> 1)];
        low[axis] = Math.min(low[axis], value); high[axis] = Math.max(high[axis], value);
        nearLow[axis] = Math.min(nearLow[axis], near); nearHigh[axis] = Math.max(nearHigh[axis], near);
      }
    }
  }
}

// The mesh of a character in its bind pose.
function skin(entry, buffer) {
  const { count, faceCount } = entry;
  return {
    vertices: new Float32Array(buffer, entry.vertices, count * 3),
    normals: entry.normals === null ? null : new Float32Array(buffer, entry.normals, count * 3),
    faces: new Uint32Array(buffer, entry.faces, faceCount * 3),
    joints: new Uint16Array(buffer, entry.joints, count * 4), weights: new Float32Array(buffer, entry.weights, count * 4),
    coordinates: entry.coordinates === null || entry.coordinates === undefined ? null : new Float32Array(buffer, entry.coordinates, count * 2),
    paints: (entry.paints ?? []).map((one) => ({ ...one, image: one.image === undefined ? null : new Uint8Array(buffer, one.image, one.bytes) })),
  };
}

// The neutral body in its template pose.
function neutral(entry, buffer) {
  const { count, faceCount, step } = entry, whole = new Int16Array(buffer, entry.vertices, count * 3);
  return {
    vertices: Float32Array.from(whole, (value) => value * step), faces: new Uint16Array(buffer, entry.faces, faceCount * 3),
    joints: new Uint8Array(buffer, entry.joints, count * 4), weights: new Uint8Array(buffer, entry.weights, count * 4),
  };
}

// Extent in the world, and around the position on the floor (for motion in place).
export function box(points, ground) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const nearLow = [Infinity, Infinity, Infinity], nearHigh = [-Infinity, -Infinity, -Infinity];
  const stride = points.length / (ground.length / 2);
  const every = Math.max(1, Math.floor(ground.length / 2 / 200));
  for (let frame = 0; frame < ground.length / 2; frame += every) {
    for (let k = frame * stride; k < (frame + 1) * stride; k += 3) {
      if (points[k + 1] === HIDDEN) continue;
      for (let axis = 0; axis < 3; axis++) {
        const value = points[k + axis];
        const near = axis === 1 ? value : value - ground[2 * frame + (axis >> 1)];
        if (value < low[axis]) low[axis] = value;
        if (value > high[axis]) high[axis] = value;
        if (near < nearLow[axis]) nearLow[axis] = near;
        if (near > nearHigh[axis]) nearHigh[axis] = near;
      }
    }
  }
  return { low, high, nearLow, nearHigh };
}

// Writes the points of a shape at a time in seconds, interpolated, into `out`; returns the position on the floor.
export function poseAt(shape, seconds, out, place) {
  const { points, ground, frames } = shape;
  const at = Math.min(Math.max(seconds / shape.frameTime, 0), frames - 1);
  const first = Math.min(Math.floor(at), Math.max(frames - 2, 0));
  const share = frames > 1 ? at - first : 0, rest = 1 - share;
  const size = shape.count * 3;
  const a = first * size, b = frames > 1 ? a + size : a;
  for (let k = 0; k < size; k++) out[k] = points[a + k] * rest + points[b + k] * share;
  if (shape.gaps) for (let k = 1; k < size; k += 3) if (out[k] < -100) out[k] = HIDDEN;
  const next = frames > 1 ? first + 1 : first;
  place[0] = ground[2 * first] * rest + ground[2 * next] * share;
  place[1] = ground[2 * first + 1] * rest + ground[2 * next + 1] * share;
}
