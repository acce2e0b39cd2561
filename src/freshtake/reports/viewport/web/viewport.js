// The viewport: plays figures, strokes and meshes in an element. Needs three.js and nothing else.
//
//   import * as THREE from "three";
//   import { createViewport } from "./viewport.js";
//   const viewport = createViewport(THREE, element, { manifest, buffer });
//
// `manifest` and `buffer` come from packing.py; `manifest.placements` (shape, x, z, turn, start, loop) is for
// crowds, in which many figures share few clips. Options: theme (auto, light, dark), keys (the element or window
// to listen to for keys), controls, autoplay, onpick(number, shape), onframe(state) after every drawn frame,
// start (partial state with which every scene begins), top (pixels covered at the top), strip (an
// element over the scrub bar). Live motion: live.js. A later scene with setData(data, { keep: true }) keeps the time,
// the camera and the user's choices.

import { Camera, VIEWS } from "./camera.js";
import { controls, SPEEDS } from "./bar.js";
import { decode } from "./decode.js";
import { Figures, Ghosts, timeOf } from "./figures.js";
import { Floor, Marks } from "./floor.js";
import { Ink, trails } from "./ink.js";
import { Mannequins } from "./mannequins.js";
import { arrange, LAYOUTS } from "./layout.js";
import { colorOf, plainColor, ROLES, THEMES } from "./look.js";
import { Plan } from "./plan.js";
import { Skins } from "./skins.js";
import { SurfaceShape } from "./surfaces.js";

const TOGGLES = ["differences", "follow", "inPlace", "ghosts", "trails", "contacts", "plan", "names", "loop"];
const MOST_NAMES = 40;
const FEW = 10; // with more shapes, names are hidden at first

export function createViewport(THREE, element, data, options = {}) {
  return new Viewport(THREE, element, data, options);
}

class Viewport {
  constructor(THREE, element, data, options) {
    Object.assign(this, { THREE, element, options });
    this.state = {
      playing: options.autoplay ?? true, seconds: 0, speed: 1, loop: true, view: "orbit", layout: "row", follow: false,
      inPlace: false, ghosts: false, trails: false, contacts: false, differences: true, plan: false, names: true, duration: 1, frame: 0,
    };
    this.timing = { frame: 0, update: 0, frames: 0 };
    element.classList.add("ft-viewport");
    if (!element.hasAttribute("tabindex")) element.tabIndex = 0;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "ft-canvas";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "motion, played");
    this.labels = document.createElement("div");
    this.labels.className = "ft-labels";
    this.planCanvas = document.createElement("canvas");
    this.planCanvas.className = "ft-plan";
    this.head = document.createElement("div");
    this.head.className = "ft-head";
    element.append(this.canvas, this.labels, this.head, this.planCanvas);
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // our colors are display colors already
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.world = new THREE.Scene();
    const color = () => ({ value: new THREE.Color() });
    this.shared = { sky: color(), haze: { value: 20 }, night: { value: 0 } };
    this.floorColors = { floorColor: color(), line: color() };
    this.shadows = { color: color(), strength: { value: 0.4 } };
    this.floor = new Floor(THREE, { ...this.shared, ...this.floorColors });
    this.world.add(this.floor.mesh);
    this.camera = new Camera(THREE, this.canvas, () => this.redraw());
    this.setData(data);
    this.listen();
    this.setTheme(options.theme ?? "auto");
    this.frame = this.frame.bind(this);
    this.before = 0;
    this.running = requestAnimationFrame(this.frame);
  }

  // Shows another scene in the same element; `keep`: keeps the user's choices and the camera.
  setData(data, { keep = false } = {}) {
    const { THREE, shared, shadows } = this;
    this.clear();
    this.scene = decode(data);
    this.state.duration = this.scene.duration;
    this.state.seconds = Math.min(this.state.seconds, this.scene.duration);
    this.figures = new Figures(THREE, this.scene, shared, shadows);
    this.skins = new Skins(THREE, this.figures.placed, shared, () => this.redraw());
    const [solid, ghostly] = [false, true].map((ghost) => this.figures.placed.filter((one) => Boolean(one.of.ghost) === ghost));
    this.mannequins = new Mannequins(THREE, solid, shared, this.scene.neutral);
    this.behind = new Mannequins(THREE, ghostly, shared, this.scene.neutral, 0.3); // the takes, behind a variant
    const rest = this.scene.placements.map((placement, number) => ({ ...placement, number, of: this.scene.shapes[placement.shape] }));
    const lines = rest.filter((one) => one.of.kind === "line"), meshes = rest.filter((one) => one.of.kind === "surface");
    this.strokes = lines.map((one, k) => {
      one.color = colorOf(THREE, one.of.role, k, lines.length);
      const how = { shared, color: one.color, radius: 0.022, lasts: Infinity };
      return Object.assign(new Ink(THREE, one.of.points, one.of.frameTime, how), { one });
    });
    // a shape may define how it is drawn: `surface(THREE, one, shared)`
    this.surfaces = meshes.map((one, k) => one.of.surface?.(THREE, one, shared) ?? new SurfaceShape(THREE, one, shared, k, meshes.length));
    this.marks = new Marks(THREE, this.figures);
    this.onlyLines = lines.length === rest.length;
    this.floor.mesh.visible = !this.onlyLines;
    this.plan = new Plan(this.planCanvas, this.scene);
    this.live = this.scene.live ?? null;
    this.element.classList.toggle("ft-live", Boolean(this.live));
    this.chooseStart(keep);
    if (!this.onlyLines) this.world.add(this.marks.mesh);
    for (const mesh of [...this.figures.meshes, ...this.skins.meshes, ...this.mannequins.meshes, ...this.behind.meshes]) this.world.add(mesh);
    for (const one of [...this.strokes, ...this.surfaces]) this.world.add(one.mesh);
    this.buildControls();
    this.buildHead();
    this.buildLabels();
    this.resize();
    this.arrange();
  }

  // Chooses a layout and a view for the scene.
  chooseStart(keep) {
    const { turn, rise } = this.camera;
    const { state, scene } = this, count = scene.placements.length;
    state.layout = LAYOUTS.includes(scene.layout) ? scene.layout : count > 6 || this.onlyLines ? "grid" : "row";
    const travel = Math.max(...scene.shapes.map(({ box }) => Math.max(box.high[0] - box.low[0], box.high[2] - box.low[2])));
    state.inPlace = count > 1 && travel > 5 && scene.placements[0].x === undefined; // a crowd has its own layout
    state.follow = !state.inPlace && travel > 2.5 && state.layout === "row";
    state.view = this.onlyLines ? "front" : "orbit";
    state.names = count <= FEW && count > 1;
    state.plan = !this.onlyLines && travel > 2.5 && count < 6 && this.plan.useful;
    if (this.live) Object.assign(state, { playing: true, follow: true, inPlace: false, plan: false, names: false });
    if (!keep) this.chosen = {};
    Object.assign(state, this.options.start ?? {}, this.chosen);
    [this.camera.turn, this.camera.rise] = VIEWS[state.view];
    if (state.view === "orbit" && state.layout === "grid" && count > FEW) [this.camera.turn, this.camera.rise] = [0.3, 0.42]; // look over the first row
    if (keep && this.camera.turned) Object.assign(this.camera, { turn, rise });
  }

  clear() {
    for (const part of [this.figures, this.skins, this.mannequins, this.behind, this.marks, this.ghosts, ...(this.strokes ?? []), ...(this.surfaces ?? []), ...(this.trails ?? [])]) part?.dispose();
    this.ghosts = this.trails = null;
  }

  buildControls() {
    this.bar?.bar.remove();
    this.bar?.help.remove();
    if (this.options.controls === false) { this.bar = null; return; }
    const body = this.figures.placed.length > 0;
    this.bar = controls(
      {
        play: () => this.toggle("playing"), seek: (seconds) => { this.pause(); this.seek(seconds); },
        speed: (value) => this.set("speed", value), toggle: (name) => this.toggle(name),
        view: (name) => this.setView(name), layout: (name) => this.setLayout(name),
      },
      {
        shapes: this.scene.placements.length, strip: this.options.strip,
        views: [["orbit", "Free", "free view (1)"], ["side", "Side", "from the side (2)"], ["front", "Front", "from the front (3)"], ["top", "Top", "from above (4)"]],
        layouts: [["row", "Row", "side by side (o)"], ["grid", "Grid", "on a grid (o)"], ["overlaid", "Overlaid", "on top of one another (o)"]],
        toggles: body ? [["follow", "Follow", "the camera follows (f)"], ["inPlace", "In place", "without travel (i)"], ["trails", "Trails", "of hands and feet (t)"], ["ghosts", "Ghosts", "moments before and after (g)"], ["contacts", "Contacts", "where feet stand; red: they slide (c)"], ["plan", "Plan", "ground plan (p)"], ["names", "Names", "names (n)"]] : [["names", "Names", "names (n)"]],
      },
    );
    this.element.append(this.bar.bar, this.bar.help);
  }

  // Title of the page, and the legend of colors.
  buildHead() {
    const counts = {};
    for (const placement of this.scene.placements) {
      const { role } = this.scene.shapes[placement.shape];
      counts[role] = (counts[role] ?? 0) + 1;
    }
    this.head.replaceChildren();
    const title = document.createElement("b");
    title.textContent = this.scene.title;
    if (this.scene.title) this.head.append(title);
    for (const [role, count] of Object.entries(counts)) {
      const words = { input: ["take", "takes"], variant: ["variant", "variants"], extra: ["other take", "other takes"] };
      const part = document.createElement("span");
      part.style.setProperty("--role", ROLES[role]);
      part.textContent = this.scene.legend[role] ?? `${count} ${words[role][count === 1 ? 0 : 1]}`;
      this.head.append(part);
    }
  }

  buildLabels() {
    this.labels.replaceChildren();
    const placements = this.scene.placements.slice(0, MOST_NAMES);
    this.names = placements.map((placement) => {
      const shape = this.scene.shapes[placement.shape], label = document.createElement("span");
      label.textContent = shape.name || shape.role;
      label.style.setProperty("--role", ROLES[shape.role]);
      this.labels.append(label);
      return label;
    });
  }

  arrange(keep = false) {
    const { state } = this;
    this.layout = arrange(this.scene, state.layout, state.inPlace, this.camera.eye.aspect);
    this.trails?.forEach((one) => one.dispose());
    this.trails = null;
    this.camera.shift.set(0, 0, 0);
    if (!keep) this.fit();
    this.redraw();
  }

  // If the camera follows, only the surroundings of the figures have to be visible.
  fit() {
    const { scene, state, layout } = this;
    const near = state.follow ? arrange(scene, state.layout, true, this.camera.eye.aspect) : null;
    const box = near ? { low: [...near.box.low], high: [...near.box.high] } : layout.box;
    if (near) {
      const drift = (axis) => scene.placements.reduce((sum, _, k) => sum + layout[axis][k] - near[axis][k], 0) / scene.placements.length;
      for (const side of [box.low, box.high]) { side[0] += drift("x"); side[2] += drift("z"); }
    }
    const tall = Math.max(this.canvas.clientHeight, 1), { top = 0 } = this.options;
    this.camera.fit(box, this.bar ? Math.min(0.3, 92 / tall) : 0.05, Math.min(0.15, top / tall));
    const size = Math.max(box.high[0] - box.low[0], box.high[2] - box.low[2], 4);
    this.shared.haze.value = this.camera.away + size * 1.5 + 6;
    this.floor.uniforms.reach.value = size * 2.5 + 12;
    this.floorMiddle = [(box.low[0] + box.high[0]) / 2, (box.low[2] + box.high[2]) / 2];
  }

  // ---- public methods ----
  play() { this.set("playing", true); }
  pause() { this.set("playing", false); }
  seek(seconds) { this.set("seconds", Math.min(Math.max(seconds, 0), this.state.duration)); }
  setView(name) { this.state.view = this.chosen.view = name; this.camera.view(name); this.fit(); }
  setLayout(name) { this.state.layout = this.chosen.layout = name; this.arrange(); }
  toggle(name) { this.set(name, !this.state[name]); }

  set(name, value) {
    this.state[name] = value;
    if (TOGGLES.includes(name)) this.chosen[name] = value;
    if (name === "playing" && value && this.state.seconds >= this.state.duration) this.state.seconds = 0;
    if (name === "inPlace" || name === "follow") this.arrange();
    this.redraw();
  }

  setTheme(name) {
    this.theme = name;
    const dark = name === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : name === "dark";
    const colors = (this.colors = THEMES[dark ? "dark" : "light"]);
    this.element.dataset.theme = dark ? "dark" : "light";
    this.shared.sky.value.copy(plainColor(this.THREE, colors.sky));
    this.shared.night.value = dark ? 1 : 0;
    this.floorColors.floorColor.value.copy(plainColor(this.THREE, colors.floor));
    this.floorColors.line.value.copy(plainColor(this.THREE, colors.line));
    this.shadows.color.value.copy(plainColor(this.THREE, colors.shadow));
    this.shadows.strength.value = colors.shade;
    this.renderer.setClearColor(this.shared.sky.value, 1);
    this.plan.scale = 0;
    this.redraw();
  }

  dispose() {
    cancelAnimationFrame(this.running);
    this.clear();
    this.floor.dispose();
    this.sizes.disconnect();
    this.keyed.removeEventListener("keydown", this.onkey);
    this.renderer.dispose();
    this.element.replaceChildren();
  }

  // ---- each frame ----
  redraw() { this.stale = true; }

  frame(now) {
    this.running = requestAnimationFrame(this.frame);
    const began = performance.now(), { state } = this;
    const passed = Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    if (state.playing && this.live) this.live.advance(passed * state.speed);
    else if (state.playing) this.advance(passed * state.speed);
    if (!this.stale && !state.playing) return;
    this.stale = false;
    this.update();
    const updated = performance.now();
    this.renderer.render(this.world, this.camera.eye);
    this.timing = { update: updated - began, frame: performance.now() - began, frames: this.timing.frames + 1 };
    this.options.onframe?.(state);
  }

  advance(seconds) {
    const { state } = this, next = state.seconds + seconds;
    if (next <= state.duration) state.seconds = next;
    else if (state.loop) state.seconds = next % state.duration;
    else { state.seconds = state.duration; state.playing = false; }
  }

  update() {
    const { state, figures, layout, scene } = this, { seconds, inPlace } = state;
    figures.update(seconds, layout, inPlace);
    this.skins.update(seconds, layout, inPlace, timeOf);
    this.mannequins.update(seconds, layout, inPlace, timeOf, state.differences);
    this.behind.update(seconds, layout, inPlace, timeOf, false);
    for (const one of this.strokes) { const k = one.one.number; one.update(seconds, layout.x[k], layout.y[k], layout.z[k]); this.root(k, 0, 0); }
    for (const one of this.surfaces) { const k = one.one.number; this.root(k, ...one.update(seconds, layout.x[k], layout.z[k], inPlace)); }
    this.marks.mesh.visible = state.contacts;
    if (state.contacts) this.marks.update(seconds, layout, inPlace, timeOf);
    this.updateGhosts();
    this.updateTrails();
    if (state.follow) this.follow();
    this.camera.place();
    const { shift } = this.camera;
    this.floor.uniforms.middle.value.set(this.floorMiddle[0] + shift.x, this.floorMiddle[1] + shift.z);
    state.frame = Math.round(seconds / scene.shapes[0].frameTime);
    this.planCanvas.hidden = !(state.plan && this.plan.useful);
    if (!this.planCanvas.hidden) this.plan.draw(seconds, this.colors);
    this.updateNames();
    this.bar?.show(state);
  }

  root(k, x, z) {
    this.figures.roots[3 * k] = this.layout.x[k] + x;
    this.figures.roots[3 * k + 1] = this.layout.y[k];
    this.figures.roots[3 * k + 2] = this.layout.z[k] + z;
  }

  updateGhosts() {
    const { state } = this;
    if (state.ghosts && !this.ghosts) {
      this.ghosts = new Ghosts(this.THREE, this.figures, this.shared);
      if (this.ghosts.bones) this.world.add(...this.ghosts.bones.meshes);
    } else if (!state.ghosts && this.ghosts) { this.ghosts.dispose(); this.ghosts = null; }
    this.ghosts?.update(state.seconds, this.layout, state.inPlace);
  }

  updateTrails() {
    const { state, layout } = this;
    if (state.trails && !this.trails) {
      this.trails = trails(this.THREE, this.figures, this.shared, state.inPlace);
      for (const one of this.trails) this.world.add(one.mesh);
    } else if (!state.trails && this.trails) { this.trails.forEach((one) => one.dispose()); this.trails = null; }
    this.trails?.forEach((one) => one.update(timeOf(one.one, state.seconds), layout.x[one.one.number], 0, layout.z[one.one.number]));
  }

  follow() {
    const { roots } = this.figures, count = this.scene.placements.length;
    let x = 0, z = 0;
    for (let k = 0; k < count; k++) {
      x += roots[3 * k] - this.layout.x[k];
      z += roots[3 * k + 2] - this.layout.z[k];
    }
    this.camera.shift.set(x / count, 0, z / count);
  }

  updateNames() {
    this.labels.hidden = !this.state.names;
    if (!this.state.names) return;
    const at = new this.THREE.Vector3(), { clientWidth, clientHeight } = this.canvas;
    this.names.forEach((label, k) => {
      at.set(this.figures.roots[3 * k], this.onlyLines ? this.figures.roots[3 * k + 1] - 0.04 : 0, this.figures.roots[3 * k + 2] + (this.onlyLines ? 0 : 0.28));
      at.project(this.camera.eye);
      label.hidden = at.z > 1 || this.state.layout === "overlaid";
      label.style.transform = `translate(-50%, 0) translate(${((at.x + 1) / 2) * clientWidth}px, ${((1 - at.y) / 2) * clientHeight}px)`;
    });
  }

  // ---- input ----
  resize() {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.eye.aspect = clientWidth / clientHeight;
    this.camera.eye.updateProjectionMatrix();
    if (this.plan) this.plan.scale = 0;
  }

  listen() {
    this.sizes = new ResizeObserver(() => { this.resize(); this.fit(); this.redraw(); });
    this.sizes.observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (this.theme === "auto") this.setTheme("auto"); });
    this.keyed = this.options.keys ?? this.element;
    this.onkey = (event) => this.key(event);
    this.keyed.addEventListener("keydown", this.onkey);
    this.canvas.addEventListener("click", (event) => this.pick(event));
  }

  // The shape whose position on the floor is nearest to a click.
  pick(event) {
    if (!this.options.onpick) return;
    const box = this.canvas.getBoundingClientRect(), at = new this.THREE.Vector3();
    let best = null, nearest = 80;
    this.scene.placements.forEach((placement, k) => {
      at.set(this.figures.roots[3 * k], 0.8, this.figures.roots[3 * k + 2]).project(this.camera.eye);
      const dx = ((at.x + 1) / 2) * box.width - (event.clientX - box.left);
      const dy = ((1 - at.y) / 2) * box.height - (event.clientY - box.top);
      if (Math.hypot(dx, dy) < nearest) { nearest = Math.hypot(dx, dy); best = k; }
    });
    if (best !== null) this.options.onpick(best, this.scene.shapes[this.scene.placements[best].shape]);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const { state } = this, step = this.scene.shapes[0].frameTime * (event.shiftKey ? 10 : 1);
    const letters = { f: "follow", i: "inPlace", g: "ghosts", t: "trails", c: "contacts", p: "plan", n: "names", l: "loop" };
    const views = { 1: "orbit", 2: "side", 3: "front", 4: "top" };
    const jump = (seconds) => { this.pause(); this.seek(seconds); };
    const pace = (by) => this.set("speed", SPEEDS[Math.min(Math.max(SPEEDS.indexOf(state.speed) + by, 0), SPEEDS.length - 1)]);
    if (this.options.controls === false && event.key !== " ") return; // without controls, their keys do nothing
    if (event.key === " ") { if (event.target.tagName === "BUTTON") event.target.blur(); this.toggle("playing"); }
    else if (event.key === "ArrowRight") jump(state.seconds + step);
    else if (event.key === "ArrowLeft") jump(state.seconds - step);
    else if (event.key === "ArrowUp") pace(1);
    else if (event.key === "ArrowDown") pace(-1);
    else if (event.key === "Home") jump(0);
    else if (event.key === "End") jump(state.duration);
    else if (letters[event.key]) this.toggle(letters[event.key]);
    else if (views[event.key]) this.setView(views[event.key]);
    else if (event.key === "o") this.setLayout(LAYOUTS[(LAYOUTS.indexOf(state.layout) + 1) % LAYOUTS.length]);
    else if (event.key === "d") this.setTheme(this.element.dataset.theme === "dark" ? "light" : "dark");
    else return;
    event.preventDefault();
  }
}
