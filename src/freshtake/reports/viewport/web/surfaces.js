// Meshes in motion: vertices are interpolated between frames, normals recomputed.

import { poseAt } from "./decode.js";
import { colorOf, SURFACE } from "./look.js";

const VERTEX = /* glsl */ `
  varying vec3 vNormal; varying vec3 vPlace;
  void main() {
    vPlace = (modelMatrix * vec4(position, 1.0)).xyz; vNormal = normal;
    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
  }`;

export class SurfaceShape {
  constructor(THREE, one, shared, number, total) {
    this.one = one;
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(one.of.count * 3), 3);
    this.position.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setIndex(new THREE.BufferAttribute(one.of.faces, 1));
    this.color = colorOf(THREE, one.of.role, number, total);
    one.color = this.color;
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: SURFACE, side: THREE.DoubleSide,
      uniforms: { ...shared, color: { value: this.color } },
    }));
    this.mesh.frustumCulled = false;
    this.place = new Float32Array(2);
    this.shown = -1;
  }

  // Returns the mesh's offset from its position in the layout.
  update(seconds, x, z, inPlace) {
    if (this.shown !== seconds) {
      this.shown = seconds;
      poseAt(this.one.of, seconds, this.position.array, this.place);
      this.position.needsUpdate = true;
      this.mesh.geometry.computeVertexNormals();
    }
    const [alongX, alongZ] = this.place;
    this.mesh.position.set(x - (inPlace ? alongX : 0), 0, z - (inPlace ? alongZ : 0));
    return inPlace ? [0, 0] : [alongX, alongZ];
  }

  dispose() { this.mesh.geometry.dispose(); this.mesh.material.dispose(); this.mesh.removeFromParent(); }
}
