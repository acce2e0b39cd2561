// The floor: a grid that fades into the sky, and marks where feet are planted (red where they slide).

import { plainColor, SLIDES } from "./look.js";

const VERTEX = /* glsl */ `
  varying vec2 vAt;
  uniform vec2 middle; uniform float reach;
  void main() {
    vAt = middle + position.xz * reach;
    gl_Position = projectionMatrix * viewMatrix * vec4(vAt.x, 0.0, vAt.y, 1.0);
  }`;
const FRAGMENT = /* glsl */ `
  varying vec2 vAt;
  uniform vec2 middle; uniform float reach; uniform float cell;
  uniform vec3 sky; uniform vec3 floorColor; uniform vec3 line;
  float ruled(float size, float width) {
    vec2 at = abs(fract(vAt / size - 0.5) - 0.5) * size;
    vec2 pixel = fwidth(vAt);
    vec2 ink = 1.0 - smoothstep(pixel * width * 0.5, pixel * (width * 0.5 + 1.0), at);
    return max(ink.x, ink.y) * clamp(size / (10.0 * max(pixel.x, pixel.y)), 0.0, 1.0);
  }
  void main() {
    float away = length(vAt - middle) / reach;
    float fade = 1.0 - smoothstep(0.25, 0.95, away);
    float ink = max(0.45 * ruled(cell, 1.0), 0.9 * ruled(5.0 * cell, 1.0));
    gl_FragColor = vec4(mix(sky, mix(floorColor, line, ink), fade), 1.0);
  }`;

export class Floor {
  constructor(THREE, shared) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1], 3));
    geometry.setIndex([0, 2, 1, 0, 3, 2]);
    this.uniforms = {
      ...shared, middle: { value: new THREE.Vector2() }, reach: { value: 20 }, cell: { value: 0.5 },
    };
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, side: THREE.DoubleSide,
    }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
  }

  dispose() { this.mesh.geometry.dispose(); this.mesh.material.dispose(); this.mesh.removeFromParent(); }
}

const MARK_VERTEX = /* glsl */ `
  attribute vec4 mark; varying vec2 vAt; varying float vSlides;
  void main() {
    vAt = position.xz; vSlides = mark.w;
    gl_Position = projectionMatrix * viewMatrix * vec4(mark.x + position.x * mark.z, 0.005, mark.y + position.z * mark.z, 1.0);
  }`;
const MARK_FRAGMENT = /* glsl */ `
  varying vec2 vAt; varying float vSlides; uniform vec3 stands; uniform vec3 slides;
  void main() {
    float at = length(vAt), soft = fwidth(at);
    float ring = smoothstep(1.0, 1.0 - soft, at) * smoothstep(0.74 - soft, 0.74, at);
    float disc = 0.30 * smoothstep(1.0, 1.0 - soft, at);
    gl_FragColor = vec4(mix(stands, slides, vSlides), max(ring, disc) * mix(0.75, 1.0, vSlides));
  }`;
const MARK_RADIUS = 0.12;

export class Marks {
  constructor(THREE, figures) {
    this.of = figures.placed.filter((one) => one.of.standing);
    const count = this.of.reduce((sum, one) => sum + one.of.body.feet.length, 0);
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1], 3));
    geometry.setIndex([0, 2, 1, 0, 3, 2]);
    this.marks = new THREE.InstancedBufferAttribute(new Float32Array(Math.max(count, 1) * 4), 4);
    this.marks.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("mark", this.marks);
    geometry.instanceCount = count;
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
      vertexShader: MARK_VERTEX, fragmentShader: MARK_FRAGMENT, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: { stands: { value: plainColor(THREE, "#f0b429") }, slides: { value: plainColor(THREE, SLIDES) } },
    }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
  }

  update(seconds, layout, inPlace, timeOf) {
    const out = this.marks.array;
    let write = 0;
    for (const one of this.of) {
      const { frames, frameTime, standing, points, count, ground, body } = one.of;
      const frame = Math.min(Math.max(Math.round(timeOf(one, seconds) / frameTime), 0), frames - 1);
      const cos = Math.cos(one.turn ?? 0), sin = Math.sin(one.turn ?? 0);
      body.feet.forEach(([ankle, toe], foot) => {
        const state = standing[frame * body.feet.length + foot];
        const a = 3 * (frame * count + ankle), b = 3 * (frame * count + toe);
        const x = (points[a] + points[b]) / 2 - (inPlace ? ground[2 * frame] : 0);
        const z = (points[a + 2] + points[b + 2]) / 2 - (inPlace ? ground[2 * frame + 1] : 0);
        out[write] = x * cos + z * sin + layout.x[one.number];
        out[write + 1] = z * cos - x * sin + layout.z[one.number];
        out[write + 2] = state ? MARK_RADIUS : 0;
        out[write + 3] = state === 2 ? 1 : 0;
        write += 4;
      });
    }
    this.marks.needsUpdate = true;
  }

  dispose() { this.mesh.geometry.dispose(); this.mesh.material.dispose(); this.mesh.removeFromParent(); }
}
