// The neutral body on every human skeleton without a skin: one geometry, one draw call, four texels per bone and figure.

import { LIGHT } from "./look.js";

const VERTEX = /* glsl */ `
  attribute vec4 joints; attribute vec4 weights; attribute vec3 tone; attribute float number;
  uniform highp sampler2D matrices; uniform float push;
  varying vec3 vNormal; varying vec3 vPlace; varying vec3 vColor;
  void main() {
    vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0), tint = vec4(0.0);
    int row = int(number + 0.5);
    for (int k = 0; k < 4; k++) {
      int column = 4 * int(joints[k] + 0.5);
      x += weights[k] * texelFetch(matrices, ivec2(column, row), 0);
      y += weights[k] * texelFetch(matrices, ivec2(column + 1, row), 0);
      z += weights[k] * texelFetch(matrices, ivec2(column + 2, row), 0);
      tint += weights[k] * texelFetch(matrices, ivec2(column + 3, row), 0);
    }
    float all = max(weights.x + weights.y + weights.z + weights.w, 1e-3);
    vec4 at = vec4(position, 1.0) / all;
    vPlace = vec3(dot(x, at), dot(y, at), dot(z, at));
    vNormal = vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    vColor = mix(tone, tint.rgb / max(tint.a, 1e-3), clamp(tint.a / all, 0.0, 1.0));
    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
    gl_Position.z += push * gl_Position.w; // ghosts are behind everything solid
  }`;
const FRAGMENT = /* glsl */ `
  varying vec3 vNormal; varying vec3 vPlace; varying vec3 vColor; uniform float opacity;
  ${LIGHT}
  void main() {
    vec3 eye = cameraPosition - vPlace; float away = length(eye);
    gl_FragColor = vec4(lit(vColor, normalize(vNormal), eye / away, away), opacity);
  }`;

export const BONES = 19;
const TEXELS = 4 * BONES;
const STEPS = 64; // per difference of 1, as in packing.py

// Colors a bone by how unusual it is: the figure's color if usual, then orange and red.
function warm(value, texels, at) {
  const share = Math.min(Math.max((value - 0.7) / 1.6, 0), 1);
  texels[at] = 0.93 * share;
  texels[at + 1] = (0.62 - 0.42 * share) * share;
  texels[at + 2] = 0.1 * share;
  texels[at + 3] = share;
}

export class Mannequins {
  // `placed`: figures as in figures.js, with their colors; those with a `wear` get the neutral body.
  constructor(THREE, placed, shared, mesh, opacity = 1) {
    this.worn = mesh ? placed.filter((one) => one.of.wear) : [];
    if (!this.worn.length) return;
    const count = this.worn.length, geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(mesh.vertices, 3));
    geometry.setAttribute("joints", new THREE.BufferAttribute(mesh.joints, 4));
    geometry.setAttribute("weights", new THREE.BufferAttribute(mesh.weights, 4, true));
    geometry.setIndex(new THREE.BufferAttribute(mesh.faces, 1));
    geometry.computeVertexNormals();
    const tones = new Float32Array(3 * count), numbers = new Float32Array(count);
    this.worn.forEach((one, k) => { tones.set([one.color.r, one.color.g, one.color.b], 3 * k); numbers[k] = k; });
    geometry.setAttribute("tone", new THREE.InstancedBufferAttribute(tones, 3));
    geometry.setAttribute("number", new THREE.InstancedBufferAttribute(numbers, 1));
    geometry.instanceCount = count;
    this.texels = new Float32Array(TEXELS * 4 * count);
    this.texture = new THREE.DataTexture(this.texels, TEXELS, count, THREE.RGBAFormat, THREE.FloatType);
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: opacity < 1, depthWrite: opacity === 1,
      uniforms: { ...shared, matrices: { value: this.texture }, opacity: { value: opacity }, push: { value: opacity < 1 ? 0.02 : 0 } },
    }));
    this.mesh.frustumCulled = false;
  }

  get meshes() { return this.mesh ? [this.mesh] : []; }

  // `tinted`: bones are colored by their difference from the takes.
  update(seconds, layout, inPlace, timeOf, tinted) {
    if (!this.mesh) return;
    const { texels } = this;
    this.worn.forEach((one, k) => {
      const { wear: { joints, binds }, turns, points, ground, frames, frameTime, count } = one.of;
      const at = Math.min(Math.max(timeOf(one, seconds) / frameTime, 0), frames - 1), first = Math.floor(at), next = Math.min(first + 1, frames - 1), share = at - first, rest = 1 - share;
      const cos = Math.cos(one.turn ?? 0), sin = Math.sin(one.turn ?? 0);
      const lessX = inPlace ? ground[2 * first] * rest + ground[2 * next] * share : 0, lessZ = inPlace ? ground[2 * first + 1] * rest + ground[2 * next + 1] * share : 0;
      const moveX = layout.x[one.number], moveZ = layout.z[one.number];
      for (let bone = 0; bone < BONES; bone++) {
        const a = 4 * (first * BONES + bone), b = 4 * (next * BONES + bone);
        const sign = turns[a] * turns[b] + turns[a + 1] * turns[b + 1] + turns[a + 2] * turns[b + 2] + turns[a + 3] * turns[b + 3] < 0 ? -share : share;
        let w = turns[a] * rest + turns[b] * sign, x = turns[a + 1] * rest + turns[b + 1] * sign, y = turns[a + 2] * rest + turns[b + 2] * sign, z = turns[a + 3] * rest + turns[b + 3] * sign;
        const size = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
        w *= size; x *= size; y *= size; z *= size;
        // the rotation as a matrix, followed by the figure's turn about the vertical
        const r00 = 1 - 2 * (y * y + z * z), r01 = 2 * (x * y - w * z), r02 = 2 * (x * z + w * y), r20 = 2 * (x * z - w * y), r21 = 2 * (y * z + w * x), r22 = 1 - 2 * (x * x + y * y);
        const m00 = r00 * cos + r20 * sin, m01 = r01 * cos + r21 * sin, m02 = r02 * cos + r22 * sin;
        const m10 = 2 * (x * y + w * z), m11 = 1 - 2 * (x * x + z * z), m12 = 2 * (y * z - w * x);
        const m20 = r20 * cos - r00 * sin, m21 = r21 * cos - r01 * sin, m22 = r22 * cos - r02 * sin;
        const p = 3 * (first * count + joints[bone]), q = 3 * (next * count + joints[bone]);
        const px = points[p] * rest + points[q] * share - lessX, py = points[p + 1] * rest + points[q + 1] * share, pz = points[p + 2] * rest + points[q + 2] * share - lessZ;
        const bind = 12 * bone, out = 4 * (k * TEXELS + 4 * bone);
        for (let column = 0; column < 4; column++) {
          const u = binds[bind + column], v = binds[bind + 4 + column], s = binds[bind + 8 + column];
          texels[out + column] = m00 * u + m01 * v + m02 * s;
          texels[out + 4 + column] = m10 * u + m11 * v + m12 * s;
          texels[out + 8 + column] = m20 * u + m21 * v + m22 * s;
        }
        texels[out + 3] += px * cos + pz * sin + moveX;
        texels[out + 7] += py;
        texels[out + 11] += pz * cos - px * sin + moveZ;
        if (tinted && one.of.unusual) warm((one.of.unusual[first * BONES + bone] * rest + one.of.unusual[next * BONES + bone] * share) / STEPS, texels, out + 12);
        else texels.fill(0, out + 12, out + 16);
      }
    });
    this.texture.needsUpdate = true;
  }

  dispose() {
    if (!this.mesh) return;
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.texture.dispose();
    this.mesh.removeFromParent();
  }
}
