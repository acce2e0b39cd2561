// Lines with volume that grow with time: strokes that write themselves, trails of hands and feet.

import { capsule } from "./bones.js";
import { HIDDEN } from "./decode.js";
import { LIGHT } from "./look.js";

const VERTEX = /* glsl */ `
  attribute vec3 start; attribute vec3 finish; attribute float born;
  uniform float now; uniform float lasts; uniform float radius; uniform vec3 shift;
  varying vec3 vNormal; varying vec3 vPlace; varying float vFresh;
  void main() {
    vec3 along = finish - start;
    float size = length(along);
    vec3 y = size > 1e-6 ? along / size : vec3(0.0, 1.0, 0.0);
    vec3 x = normalize(cross(y, abs(y.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
    vec3 n = x * position.x + y * position.y + cross(x, y) * position.z;
    float age = now - born;
    vFresh = age < 0.0 ? -1.0 : 1.0 - clamp(age / lasts, 0.0, 1.0);
    float thick = age < 0.0 ? (lasts > 1e5 ? 0.22 : 0.0) : (lasts > 1e5 ? 1.0 : vFresh);
    vPlace = mix(start, finish, uv.x) + n * radius * thick + shift;
    vNormal = n;
    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
    if (thick == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  }`;
const FRAGMENT = /* glsl */ `
  varying vec3 vNormal; varying vec3 vPlace; varying float vFresh;
  uniform vec3 color; uniform float strength;
  ${LIGHT}
  void main() {
    vec3 eye = cameraPosition - vPlace; float away = length(eye);
    vec3 shown = lit(color, normalize(vNormal), eye / away, away);
    gl_FragColor = vec4(vFresh < 0.0 ? mix(sky, shown, 0.35) : shown, strength);
  }`;

export class Ink {
  // `points`: flat x, y, z per frame. `lasts`: seconds until a line has faded; Infinity for strokes.
  constructor(THREE, points, frameTime, { shared, color, radius, lasts, strength = 1 }) {
    const count = Math.max(points.length / 3 - 1, 1);
    const ends = new Float32Array(count * 6), born = new Float32Array(count);
    for (let k = 0; k < count; k++) {
      const next = Math.min(3 * (k + 1), points.length - 3);
      ends.set(points.subarray(3 * k, 3 * k + 3), 6 * k);
      ends.set(points.subarray(next, next + 3), 6 * k + 3);
      born[k] = (k + 1) * frameTime;
    }
    const geometry = capsule(THREE, 8, 2);
    const both = new THREE.InstancedInterleavedBuffer(ends, 6);
    geometry.setAttribute("start", new THREE.InterleavedBufferAttribute(both, 3, 0));
    geometry.setAttribute("finish", new THREE.InterleavedBufferAttribute(both, 3, 3));
    geometry.setAttribute("born", new THREE.InstancedBufferAttribute(born, 1));
    geometry.instanceCount = count;
    this.uniforms = {
      ...shared, now: { value: 0 }, lasts: { value: Number.isFinite(lasts) ? lasts : 1e6 }, radius: { value: radius },
      color: { value: color }, strength: { value: strength }, shift: { value: new THREE.Vector3() },
    };
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, transparent: strength < 1,
    });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  update(seconds, x, y, z) {
    this.uniforms.now.value = seconds;
    this.uniforms.shift.value.set(x, y, z);
  }

  dispose() { this.mesh.geometry.dispose(); this.mesh.material.dispose(); this.mesh.removeFromParent(); }
}

export const TRAIL_SECONDS = 1.2;
const MOST_TRAILED = 32;

// Trails of the hands and feet of each figure.
export function trails(THREE, figures, shared, inPlace) {
  return figures.placed.slice(0, MOST_TRAILED).flatMap((one) => one.of.body.tips.map((tip) => {
    const { frames, count, points, ground } = one.of;
    const path = new Float32Array(frames * 3);
    for (let frame = 0; frame < frames; frame++) {
      const at = 3 * (frame * count + tip);
      path[3 * frame] = points[at] - (inPlace ? ground[2 * frame] : 0);
      path[3 * frame + 1] = points[at + 1] === HIDDEN ? 0 : points[at + 1];
      path[3 * frame + 2] = points[at + 2] - (inPlace ? ground[2 * frame + 1] : 0);
    }
    const color = one.color.clone().offsetHSL(0, 0.1, 0.08);
    const ink = new Ink(THREE, path, one.of.frameTime, { shared, color, radius: 0.016, lasts: TRAIL_SECONDS });
    return Object.assign(ink, { one });
  }));
}
