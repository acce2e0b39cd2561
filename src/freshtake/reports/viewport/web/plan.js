// The ground plan: paths and footprints from above, and current positions.

import { ROLES, SLIDES } from "./look.js";

const MOST = 60;

export class Plan {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.shapes = scene.shapes.filter((shape) => shape.kind === "figure").slice(0, MOST);
    this.ways = document.createElement("canvas");
  }

  get useful() { return this.shapes.length > 0; }

  // Paths and footprints are drawn once per size and theme.
  prepare(theme) {
    const { canvas, ways } = this, ratio = window.devicePixelRatio || 1;
    canvas.width = ways.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = ways.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { ground } of this.shapes) {
      for (let k = 0; k < ground.length; k += 2) {
        left = Math.min(left, ground[k]); right = Math.max(right, ground[k]);
        top = Math.min(top, ground[k + 1]); bottom = Math.max(bottom, ground[k + 1]);
      }
    }
    const size = Math.max(right - left + 0.8, (bottom - top + 0.8) * (ways.width / ways.height), 1.2);
    this.scale = ways.width / size;
    this.middle = [(left + right) / 2, (top + bottom) / 2];
    const draw = ways.getContext("2d");
    draw.clearRect(0, 0, ways.width, ways.height);
    this.ruler(draw, theme, ratio);
    for (const shape of this.shapes) {
      draw.globalAlpha = 0.55;
      this.footprints(draw, shape, ratio);
      draw.globalAlpha = 0.9;
      draw.strokeStyle = ROLES[shape.role];
      draw.lineWidth = 1.4 * ratio;
      draw.beginPath();
      for (let k = 0; k < shape.ground.length; k += 2) draw.lineTo(...this.at(shape.ground[k], shape.ground[k + 1]));
      draw.stroke();
    }
    draw.globalAlpha = 1;
  }

  // Seen from above: x to the right, forward (z) up.
  at(x, z) {
    return [
      this.ways.width / 2 + (x - this.middle[0]) * this.scale, this.ways.height / 2 - (z - this.middle[1]) * this.scale,
    ];
  }

  ruler(draw, theme, ratio) {
    draw.strokeStyle = theme.line;
    draw.lineWidth = 0.5 * ratio;
    const cell = 0.5 * this.scale < 6 * ratio ? 2.5 : 0.5, reach = Math.ceil(this.ways.width / this.scale / cell) + 1;
    draw.beginPath();
    for (let k = -reach; k <= reach; k++) {
      const [x, y] = this.at((Math.round(this.middle[0] / cell) + k) * cell, (Math.round(this.middle[1] / cell) + k) * cell);
      draw.moveTo(x, 0); draw.lineTo(x, this.ways.height);
      draw.moveTo(0, y); draw.lineTo(this.ways.width, y);
    }
    draw.stroke();
  }

  footprints(draw, shape, ratio) {
    if (!shape.standing) return;
    const { feet } = shape.body;
    for (let frame = 0; frame < shape.frames; frame += 2) {
      feet.forEach(([ankle, toe], foot) => {
        const state = shape.standing[frame * feet.length + foot];
        if (!state) return;
        const a = 3 * (frame * shape.count + ankle), b = 3 * (frame * shape.count + toe);
        const [x, y] = this.at((shape.points[a] + shape.points[b]) / 2, (shape.points[a + 2] + shape.points[b + 2]) / 2);
        draw.fillStyle = state === 2 ? SLIDES : "#f0b429";
        draw.fillRect(x - ratio, y - ratio, 2 * ratio, 2 * ratio);
      });
    }
  }

  draw(seconds, theme) {
    const { canvas } = this, draw = canvas.getContext("2d"), ratio = window.devicePixelRatio || 1;
    if (!this.scale) this.prepare(theme);
    draw.clearRect(0, 0, canvas.width, canvas.height);
    draw.drawImage(this.ways, 0, 0);
    for (const shape of this.shapes) {
      const frame = Math.min(Math.max(Math.round(seconds / shape.frameTime), 0), shape.frames - 1);
      const [x, y] = this.at(shape.ground[2 * frame], shape.ground[2 * frame + 1]);
      draw.fillStyle = ROLES[shape.role];
      draw.strokeStyle = theme.sky;
      draw.lineWidth = ratio;
      draw.beginPath(); draw.arc(x, y, 4 * ratio, 0, 7); draw.fill(); draw.stroke();
    }
  }
}
