// Figures that wear a character's skin: one geometry for all of them, moved on the graphics card by a matrix per joint.

import { LIGHT } from "./look.js";

const VERTEX = /* glsl */ `
  attribute vec4 joints; attribute vec4 weights; varying vec2 vUv;
  uniform highp sampler2D matrices; uniform vec4 place; uniform vec2 turn;
  varying vec3 vNormal; varying vec3 vPlace;
  void main() {
    vUv = uv;
    vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
    for (int k = 0; k < 4; k++) {
      int column = 3 * int(joints[k] + 0.5);
      x += weights[k] * texelFetch(matrices, ivec2(column, 0), 0);
      y += weights[k] * texelFetch(matrices, ivec2(column + 1, 0), 0);
      z += weights[k] * texelFetch(matrices, ivec2(column + 2, 0), 0);
    }
    vec4 at = vec4(position, 1.0);
    vec3 p = vec3(dot(x, at) - place.z, dot(y, at), dot(z, at) - place.w);
    vec3 n = vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    vPlace = vec3(p.x * turn.x + p.z * turn.y + place.x, p.y, p.z * turn.x - p.x * turn.y + place.y);
    vNormal = vec3(n.x * turn.x + n.z * turn.y, n.y, n.z * turn.x - n.x * turn.y);
    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
  }`;

// A skin is shown with its picture, or in the color of its role if it has none.
const FRAGMENT = /* glsl */ `
  varying vec3 vNormal; varying vec3 vPlace; varying vec2 vUv; uniform vec3 color; uniform sampler2D picture; uniform float pictured;
  ${LIGHT}
  void main() {
    vec3 eye = cameraPosition - vPlace; float away = length(eye);
    vec3 n = normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0);
    gl_FragColor = vec4(lit(mix(color, texture2D(picture, vUv).rgb, pictured), n, eye / away, away), 1.0);
  }`;

export class Skins {
  // `placed`: figures of the scene as in figures.js, with their colors; `redraw` is called when a picture is loaded.
  constructor(THREE, placed, shared, redraw = () => {}) {
    this.geometries = new Map();
    this.pictures = new Map();
    this.redraw = redraw;
    this.worn = placed.filter((one) => one.of.skin).map((one) => this.wear(THREE, one, shared));
  }

  get meshes() { return this.worn.map((one) => one.mesh); }

  wear(THREE, one, shared) {
    const texels = new Float32Array(one.of.joints * 12);
    const texture = new THREE.DataTexture(texels, one.of.joints * 3, 1, THREE.RGBAFormat, THREE.FloatType);
    const uniforms = {
      ...shared, matrices: { value: texture }, place: { value: new THREE.Vector4() },
      turn: { value: new THREE.Vector2(Math.cos(one.turn ?? 0), Math.sin(one.turn ?? 0)) },
    };
    const paints = one.of.skin.paints.length ? one.of.skin.paints : [{ color: null, image: null }];
    const materials = paints.map((paint) => new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.DoubleSide,
      uniforms: { ...uniforms, color: { value: paint.color ? new THREE.Color(...paint.color) : one.color }, ...this.pictureOf(THREE, paint) },
    }));
    const mesh = new THREE.Mesh(this.geometryOf(THREE, one.of.skin), one.of.skin.paints.length ? materials : materials[0]);
    mesh.frustumCulled = false;
    return { one, texels, texture, uniforms, mesh };
  }

  // The picture of a paint, shared by all figures; it is decoded while the figure is already shown.
  pictureOf(THREE, paint) {
    if (!paint.image) return { picture: { value: null }, pictured: { value: 0 } };
    if (!this.pictures.has(paint)) {
      const uniforms = { picture: { value: null }, pictured: { value: 0 } };
      this.pictures.set(paint, uniforms);
      createImageBitmap(new Blob([paint.image])).then((bitmap) => {
        const texture = new THREE.CanvasTexture(bitmap);
        Object.assign(texture, { flipY: false, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, colorSpace: THREE.NoColorSpace, anisotropy: 4 });
        uniforms.picture.value = texture;
        uniforms.pictured.value = 1;
        this.redraw();
      }, () => {}); // the browser cannot decode the picture: the role's color stays
    }
    return this.pictures.get(paint);
  }

  geometryOf(THREE, skin) {
    if (!this.geometries.has(skin)) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(skin.vertices, 3));
      geometry.setAttribute("joints", new THREE.BufferAttribute(skin.joints, 4));
      geometry.setAttribute("weights", new THREE.BufferAttribute(skin.weights, 4));
      geometry.setIndex(new THREE.BufferAttribute(skin.faces, 1));
      if (skin.coordinates) geometry.setAttribute("uv", new THREE.BufferAttribute(skin.coordinates, 2));
      skin.paints.forEach((paint, k) => geometry.addGroup(3 * paint.first, 3 * paint.faces, k));
      if (skin.normals) geometry.setAttribute("normal", new THREE.BufferAttribute(skin.normals, 3));
      else geometry.computeVertexNormals();
      this.geometries.set(skin, geometry);
    }
    return this.geometries.get(skin);
  }

  // `timeOf(one, seconds)`: the figure's local time; matrices are interpolated between frames.
  update(seconds, layout, inPlace, timeOf) {
    for (const { one, texels, texture, uniforms } of this.worn) {
      const { matrices, ground, frames, frameTime } = one.of, size = texels.length;
      const at = Math.min(Math.max(timeOf(one, seconds) / frameTime, 0), frames - 1), first = Math.floor(at);
      const share = at - first, next = Math.min(first + 1, frames - 1), a = first * size, b = next * size;
      for (let k = 0; k < size; k++) texels[k] = matrices[a + k] * (1 - share) + matrices[b + k] * share;
      texture.needsUpdate = true;
      const less = (axis) => (inPlace ? ground[2 * first + axis] * (1 - share) + ground[2 * next + axis] * share : 0);
      uniforms.place.value.set(layout.x[one.number], layout.z[one.number], less(0), less(1));
    }
  }

  dispose() {
    for (const { mesh, texture } of this.worn) { [mesh.material].flat().forEach((one) => one.dispose()); texture.dispose(); mesh.removeFromParent(); }
    for (const { picture } of this.pictures.values()) picture.value?.dispose();
    for (const geometry of this.geometries.values()) geometry.dispose();
  }
}
