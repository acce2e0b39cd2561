// Plays a mesh endlessly by its modes: every frame is a few weights, vertices and normals are computed on the GPU.
//
//   const player = meshPlayer(THREE, modes, onframe);   `modes`: what /api/texture/{id}/modes sends
//   viewport.setData({ scene: player.scene });
//   player.rate = 2;                                   jumps twice as often as learned

import { box } from "./viewport/decode.js";
import { colorOf, LIGHT } from "./viewport/look.js";

const WIDE = 2048; // texels in a row of a table
const RING = 8; // triangles around a vertex that contribute to its normal
const MOST_JUMPS = 0.5; // chance of a jump in a frame

// ---- which frame comes next ----
export function meshPlayer(THREE, { manifest, buffer }, onframe = () => {}) {
  const { frames, modes, count, fps, hold, fade, slots } = manifest;
  const read = (name, Kind) => new Kind(buffer, ...manifest.arrays[name]);
  const weights = read("weights", Float32Array), successor = read("successor", Int32Array), onward = read("onward", Float32Array);
  const targets = read("targets", Int32Array), chances = read("chances", Float32Array), base = read("base", Float32Array);
  const now = new Float32Array(modes), offset = new Float32Array(modes);
  let frame = firstFrame(onward, chances, slots), since = hold, age = fade, between = 0;

  const sum = (k) => { let all = 0; for (let n = 0; n < slots; n++) all += chances[k * slots + n]; return all; };
  const step = (rate) => {
    const jump = sum(frame), next = successor[frame];
    const wanted = onward[frame] > 0 ? Math.min(jump * rate, Math.max(jump, MOST_JUMPS)) : jump;
    since += 1;
    age += 1;
    if (next >= 0 && (since < hold || Math.random() * (jump + onward[frame]) >= wanted)) { frame = next; onframe(frame, -1); return; }
    let left = Math.random() * jump, slot = 0;
    while (slot < slots - 1 && (left -= chances[frame * slots + slot]) > 0) slot += 1;
    const to = targets[frame * slots + slot];
    if (to < 0) { frame = Math.max(next, 0); return; }
    const from = frame, going = next >= 0 ? next : frame, share = ease(age / fade);
    for (let k = 0; k < modes; k++) offset[k] = offset[k] * share + weights[going * modes + k] - weights[to * modes + k];
    [frame, since, age] = [to, 0, 0];
    onframe(to, from);
  };
  const player = {
    rate: 1,
    advance(seconds) {
      between += seconds * fps;
      while (between >= 1) { step(player.rate); between -= 1; }
      const next = successor[frame] >= 0 ? successor[frame] : frame, share = ease((age + between) / fade);
      for (let k = 0; k < modes; k++) now[k] = weights[frame * modes + k] * (1 - between) + weights[next * modes + k] * between + offset[k] * share;
    },
  };
  const tables = { base, shapes: read("shapes", Float32Array), faces: read("faces", Uint32Array), count, modes };
  const ground = new Float32Array(2);
  const shape = {
    kind: "surface", name: "", role: "variant", frames: 1, count, frameTime: 1 / fps, duration: 1e-6, gaps: false, points: base, ground, faces: tables.faces,
    box: box(base, ground), surface: (three, one, shared) => new ModeSurface(three, one, shared, tables, now),
  };
  player.advance(0);
  player.scene = { shapes: [shape], placements: [{ shape: 0 }], duration: 1e-6, title: "", layout: "row", legend: { variant: "played by its modes" }, live: player };
  return player;
}

const firstFrame = (onward, chances, slots) => { for (let k = 0; k < onward.length; k++) if (onward[k] > 0 || chances[k * slots] > 0) return k; return 0; };
const ease = (share) => { const left = Math.max(1 - share, 0); return left * left * (3 - 2 * left); };

// ---- the mesh on the GPU ----
const vertexShader = (modes) => /* glsl */ `
  precision highp float; precision highp sampler2D; precision highp isampler2D;
  uniform sampler2D table; uniform isampler2D around; uniform float weights[${modes}]; uniform int rows;
  out vec3 vNormal; out vec3 vPlace;
  vec3 vertex(int number) {
    ivec2 at = ivec2(number % ${WIDE}, number / ${WIDE});
    vec3 place = texelFetch(table, at, 0).xyz;
    for (int k = 0; k < ${modes}; k++) place += weights[k] * texelFetch(table, at + ivec2(0, (k + 1) * rows), 0).xyz;
    return place;
  }
  void main() {
    vec3 here = vertex(gl_VertexID), normal = vec3(0.0);
    for (int k = 0; k < ${RING}; k++) {
      ivec2 pair = texelFetch(around, ivec2(gl_VertexID % ${WIDE}, (gl_VertexID / ${WIDE}) * ${RING} + k), 0).xy;
      if (pair.x < 0) break;
      normal += cross(vertex(pair.x) - here, vertex(pair.y) - here);
    }
    vNormal = normal; vPlace = (modelMatrix * vec4(here, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
  }`;
const FRAGMENT = /* glsl */ `
  precision highp float;
  in vec3 vNormal; in vec3 vPlace; uniform vec3 color; out vec4 shown;
  ${LIGHT}
  void main() {
    vec3 eye = cameraPosition - vPlace; float away = length(eye);
    shown = vec4(lit(color, normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0), eye / away, away), 1.0);
  }`;

class ModeSurface {
  constructor(THREE, one, shared, { base, shapes, faces, count, modes }, weights) {
    this.one = one;
    const rows = Math.ceil(count / WIDE), texels = new Float32Array(WIDE * rows * (modes + 1) * 4);
    for (let k = 0; k <= modes; k++) {
      for (let n = 0; n < count; n++) {
        const from = k ? shapes : base, at = k ? ((k - 1) * count + n) * 3 : n * 3;
        texels.set([from[at], from[at + 1], from[at + 2], 0], (k * rows * WIDE + n) * 4);
      }
    }
    this.table = new THREE.DataTexture(texels, WIDE, rows * (modes + 1), THREE.RGBAFormat, THREE.FloatType);
    this.around = new THREE.DataTexture(rings(faces, count, rows), WIDE, rows * RING, THREE.RGIntegerFormat, THREE.IntType);
    this.around.internalFormat = "RG32I";
    for (const texture of [this.table, this.around]) texture.needsUpdate = true;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(base), 3)); // only its length is used
    geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(faces), 1));
    one.color = this.color = colorOf(THREE, one.of.role, 0, 1);
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
      vertexShader: vertexShader(modes), fragmentShader: FRAGMENT, glslVersion: THREE.GLSL3, side: THREE.DoubleSide,
      uniforms: { ...shared, color: { value: this.color }, table: { value: this.table }, around: { value: this.around }, weights: { value: weights }, rows: { value: rows } },
    }));
    this.mesh.frustumCulled = false;
  }

  update(seconds, x, z) {
    this.mesh.position.set(x, 0, z);
    return [0, 0];
  }

  dispose() { this.table.dispose(); this.around.dispose(); this.mesh.geometry.dispose(); this.mesh.material.dispose(); this.mesh.removeFromParent(); }
}

// For every vertex, the other two vertices of up to RING triangles around it, in order; -1: no more.
function rings(faces, count, rows) {
  const out = new Int32Array(WIDE * rows * RING * 2).fill(-1), filled = new Uint8Array(count);
  for (let k = 0; k < faces.length; k += 3) {
    for (let corner = 0; corner < 3; corner++) {
      const vertex = faces[k + corner];
      if (filled[vertex] === RING) continue;
      const texel = (Math.floor(vertex / WIDE) * RING + filled[vertex]) * WIDE + (vertex % WIDE);
      out[2 * texel] = faces[k + ((corner + 1) % 3)];
      out[2 * texel + 1] = faces[k + ((corner + 2) % 3)];
      filled[vertex] += 1;
    }
  }
  return out;
}
