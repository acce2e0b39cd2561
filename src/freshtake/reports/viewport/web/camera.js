// A camera that orbits a point, by mouse, pen or finger, and has named views.

export const VIEWS = { orbit: [0.5, 0.28], side: [-Math.PI / 2, 0.04], front: [0, 0.06], top: [0, Math.PI / 2 - 0.001] };

export class Camera {
  constructor(THREE, element, changed) {
    this.THREE = THREE;
    this.eye = new THREE.PerspectiveCamera(30, 1, 0.05, 2000);
    this.target = new THREE.Vector3(0, 0.9, 0);
    this.shift = new THREE.Vector3(); // offset of a camera that follows the figures
    [this.turn, this.rise] = VIEWS.orbit;
    this.away = 6;
    this.changed = changed;
    this.listen(element);
  }

  view(name) {
    this.turned = false;
    [this.turn, this.rise] = VIEWS[name];
    this.changed();
  }

  // Moves far enough away to see a box; controls cover these fractions of the height at the bottom and the top.
  fit(box, bottom = 0.1, top = 0) {
    const { THREE, target, eye } = this, side = ["low", "high"];
    target.set(...box.low).add(new THREE.Vector3(...box.high)).multiplyScalar(0.5);
    this.away = 2 + new THREE.Vector3(...box.high).sub(new THREE.Vector3(...box.low)).length() * 2;
    const across = Math.tan((eye.fov * Math.PI) / 360);
    const right = new THREE.Vector3(), up = new THREE.Vector3(), back = new THREE.Vector3(), at = new THREE.Vector3();
    for (let round = 0; round < 40; round++) {
      this.place();
      eye.matrixWorld.extractBasis(right, up, back);
      let [left, most, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let corner = 0; corner < 8; corner++) {
        at.set(box[side[corner & 1]][0], box[side[(corner >> 1) & 1]][1], box[side[corner >> 2]][2]);
        at.add(this.shift).project(eye);
        left = Math.min(left, at.x); most = Math.max(most, at.x);
        low = Math.min(low, at.y); high = Math.max(high, at.y);
      }
      const size = Math.max((most - left) / 1.84, (high - low) / (1.84 - 2 * (bottom + top)));
      target.addScaledVector(right, ((left + most) / 2) * this.away * across * eye.aspect);
      target.addScaledVector(up, ((low + high) / 2 - (bottom - top)) * this.away * across);
      this.away = Math.max(this.away * size ** 0.6, 0.5); // a full step would overshoot
    }
    this.changed();
  }

  place() {
    const { eye, target, turn, rise, away, shift } = this;
    const x = target.x + shift.x, z = target.z + shift.z;
    eye.position.set(
      x + away * Math.cos(rise) * Math.sin(turn), target.y + away * Math.sin(rise), z + away * Math.cos(rise) * Math.cos(turn),
    );
    eye.near = Math.max(0.02, away / 200);
    eye.far = away * 20 + 200;
    eye.lookAt(x, target.y, z);
    eye.updateProjectionMatrix();
    eye.updateMatrixWorld();
  }

  listen(element) {
    const touches = new Map();
    let apart = 0;
    element.addEventListener("pointerdown", (event) => {
      touches.set(event.pointerId, [event.clientX, event.clientY]);
      element.setPointerCapture(event.pointerId);
      apart = 0;
    });
    element.addEventListener("pointermove", (event) => {
      const before = touches.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before[0], dy = event.clientY - before[1];
      touches.set(event.pointerId, [event.clientX, event.clientY]);
      if (touches.size === 2) {
        const [a, b] = [...touches.values()];
        const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (apart) this.zoom(apart / now);
        apart = now;
        this.pan(dx / 2, dy / 2, element);
      } else if (event.buttons === 2 || event.shiftKey) this.pan(dx, dy, element);
      else this.orbit(dx, dy);
      this.changed();
    });
    const end = (event) => touches.delete(event.pointerId);
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.0012));
      this.changed();
    }, { passive: false });
  }

  orbit(dx, dy) {
    this.turned = true; // by the user
    this.turn -= dx * 0.006;
    this.rise = Math.min(Math.max(this.rise + dy * 0.006, -0.05), Math.PI / 2 - 0.001);
  }

  pan(dx, dy, element) {
    const unit = (2 * this.away * Math.tan((this.eye.fov * Math.PI) / 360)) / element.clientHeight;
    const right = new this.THREE.Vector3(), up = new this.THREE.Vector3(), back = new this.THREE.Vector3();
    this.eye.matrixWorld.extractBasis(right, up, back);
    this.target.addScaledVector(right, -dx * unit).addScaledVector(up, dy * unit);
  }

  zoom(factor) { this.away = Math.min(Math.max(this.away * factor, 0.3), 500); }
}
