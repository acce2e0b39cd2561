// Bones with volume: tapered capsules in one draw call; only their ends change from frame to frame.

import { LIGHT } from "./look.js";

const VERTEX = /* glsl */ `
  attribute vec3 start; attribute vec3 finish; attribute vec2 radii; attribute vec4 tint;
  varying vec3 vNormal; varying vec3 vPlace; varying vec3 vColor;
  void main() {
    vec3 along = finish - start;
    float size = length(along);
    vec3 y = size > 1e-6 ? along / size : vec3(0.0, 1.0, 0.0);
    vec3 side = abs(y.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0);
    vec3 x = normalize(cross(y, side));
    vec3 n = x * position.x + y * position.y + cross(x, y) * position.z;
    vPlace = mix(start, finish, uv.x) + n * mix(radii.x, radii.y, uv.x);
    vNormal = n; vColor = tint.rgb * tint.a;
    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
    if (tint.a < 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // a skin is shown: only the shadow is visible
  }`;
const FRAGMENT = /* glsl */ `
  varying vec3 vNormal; varying vec3 vPlace; varying vec3 vColor;
  uniform float opacity;
  ${LIGHT}
  void main() {
    vec3 eye = cameraPosition - vPlace; float away = length(eye);
    gl_FragColor = vec4(lit(vColor, normalize(vNormal), eye / away, away), opacity);
  }`;

const SHADOW_VERTEX = /* glsl */ `
  attribute vec3 start; attribute vec3 finish; attribute vec2 radii;
  varying vec2 vAt; varying vec2 vA; varying vec2 vB; varying vec2 vSoft; varying float vHeight;
  void main() {
    vec2 a = start.xz + start.y * vec2(0.10, -0.12), b = finish.xz + finish.y * vec2(0.10, -0.12);
    vec2 along = b - a; float size = length(along);
    vec2 x = size > 1e-5 ? along / size : vec2(1.0, 0.0), y = vec2(-x.y, x.x);
    vec2 soft = radii * 1.3 + 0.02 + 0.16 * max(vec2(start.y, finish.y), 0.0);
    float reach = max(soft.x, soft.y);
    vec2 at = position.x < 0.0 ? a - x * reach : b + x * reach;
    at += y * reach * position.z;
    vAt = at; vA = a; vB = b; vSoft = soft; vHeight = min(start.y, finish.y);
    gl_Position = projectionMatrix * viewMatrix * vec4(at.x, 0.003, at.y, 1.0);
    if (start.y < -100.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  }`;
const SHADOW_FRAGMENT = /* glsl */ `
  varying vec2 vAt; varying vec2 vA; varying vec2 vB; varying vec2 vSoft; varying float vHeight;
  uniform vec3 color; uniform float strength;
  void main() {
    vec2 along = vB - vA;
    float t = clamp(dot(vAt - vA, along) / max(dot(along, along), 1e-9), 0.0, 1.0);
    float reach = mix(vSoft.x, vSoft.y, t);
    float near = 1.0 - clamp(length(vAt - vA - along * t) / reach, 0.0, 1.0);
    gl_FragColor = vec4(color, strength * near * near * exp(-1.4 * max(vHeight, 0.0)));
  }`;

// A unit sphere cut in two; uv.x is the end of the bone to which a vertex belongs.
export function capsule(THREE, around, rings) {
  const places = [], ends = [], index = [];
  const rows = [];
  for (let ring = 0; ring <= rings; ring++) rows.push([(ring / rings) * (Math.PI / 2) - Math.PI / 2, 0]);
  for (let ring = 0; ring <= rings; ring++) rows.push([(ring / rings) * (Math.PI / 2), 1]);
  for (const [angle, end] of rows) {
    for (let k = 0; k < around; k++) {
      const turn = (k / around) * 2 * Math.PI;
      places.push(Math.cos(angle) * Math.cos(turn), Math.sin(angle), Math.cos(angle) * Math.sin(turn));
      ends.push(end, 0);
    }
  }
  for (let row = 0; row + 1 < rows.length; row++) {
    for (let k = 0; k < around; k++) {
      const a = row * around + k, b = row * around + ((k + 1) % around);
      index.push(a, a + around, b, b, a + around, b + around);
    }
  }
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute("uv", new THREE.Float32BufferAttribute(ends, 2));
  geometry.setIndex(index);
  return geometry;
}

export class Bones {
  // `count` capsules; `shared` uniforms hold sky, haze and night; with `shadows`, soft shadows on the floor.
  constructor(THREE, count, { shared, opacity = 1, shadows = null, detail = 1 }) {
    this.count = count;
    this.ends = new THREE.InstancedInterleavedBuffer(new Float32Array(count * 6), 6);
    this.ends.setUsage(THREE.DynamicDrawUsage);
    this.radii = new THREE.InstancedBufferAttribute(new Float32Array(count * 2), 2);
    this.tint = new THREE.InstancedBufferAttribute(new Float32Array(count * 4), 4);
    const attributes = (geometry) => {
      geometry.setAttribute("start", new THREE.InterleavedBufferAttribute(this.ends, 3, 0));
      geometry.setAttribute("finish", new THREE.InterleavedBufferAttribute(this.ends, 3, 3));
      geometry.setAttribute("radii", this.radii);
      geometry.instanceCount = count;
      return geometry;
    };
    const geometry = attributes(capsule(THREE, detail > 0.5 ? 14 : 6, detail > 0.5 ? 4 : 1));
    geometry.setAttribute("tint", this.tint);
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: opacity < 1,
      uniforms: { ...shared, opacity: { value: opacity } },
    });
    this.meshes = [new THREE.Mesh(geometry, material)];
    if (shadows) {
      const quad = attributes(new THREE.InstancedBufferGeometry());
      quad.setAttribute("position", new THREE.Float32BufferAttribute([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1], 3));
      quad.setIndex([0, 2, 1, 0, 3, 2]);
      const soft = new THREE.ShaderMaterial({
        vertexShader: SHADOW_VERTEX, fragmentShader: SHADOW_FRAGMENT, transparent: true, depthWrite: false,
        side: THREE.DoubleSide, uniforms: shadows,
      });
      this.meshes.push(new THREE.Mesh(quad, soft));
    }
    for (const mesh of this.meshes) mesh.frustumCulled = false;
  }

  changed() { this.ends.needsUpdate = true; }

  show(count) { for (const mesh of this.meshes) mesh.geometry.instanceCount = count; }

  dispose() {
    for (const mesh of this.meshes) { mesh.geometry.dispose(); mesh.material.dispose(); mesh.removeFromParent(); }
  }
}
