// Plays the project's items, or live motion. Wraps the viewport of reports/viewport/web.

import { html, render, useEffect, useRef, useState } from "./vendor/preact-htm.module.js";
import { createViewport } from "./viewport/viewport.js";
import { LiveScene } from "./viewport/live.js";
import { api } from "./api.js";
import { isDark, setTheme, toast, useDark, useKept, useStore } from "./state.js";

import("./viewport/three/three.core.min.js"); // the next module imports it: both load in parallel
export const three = import("./viewport/three/three.module.min.js"); // large: the page does not wait for it
const MANY = 60; // figures
const ELSEWHERE = "input, textarea, select, [contenteditable], [role=tablist], [role=listbox], dialog, .own-keys";

// Keys of the window, except those a focused control needs.
function windowKeys(element) {
  const wrapped = new Map();
  return {
    addEventListener(type, act) {
      const listener = (event) => {
        const inside = element.contains(event.target);
        if (!inside && event.target.closest?.(ELSEWHERE)) return;
        if (!inside && event.target.closest?.("button, a, summary") && [" ", "Enter"].includes(event.key)) return;
        if (event.key === "d" && !event.ctrlKey && !event.metaKey) { setTheme(isDark() ? "light" : "dark"); return; }
        act(event);
      };
      wrapped.set(act, listener);
      window.addEventListener(type, listener);
    },
    removeEventListener(type, act) { window.removeEventListener(type, wrapped.get(act)); },
  };
}

// A viewport in an element that lives as long as its component. `element` must be on the page.
function useViewport({ start, onpick, onframe, onready, controls, top, strip }) {
  const place = useRef(null), held = useRef(null), callbacks = useRef({});
  callbacks.current = { onpick, onframe };
  const dark = useDark();
  useEffect(() => {
    const before = held.current;
    if (before) before.setTheme(dark ? "dark" : "light");
  }, [dark]);
  useEffect(() => () => { held.current?.dispose(); held.current = null; window.studioViewports?.delete(place.current); }, []);
  const show = async (data) => {
    const THREE = await three;
    if (!place.current) return null;
    if (held.current) {
      const focused = strip?.contains(document.activeElement) ? document.activeElement : null;
      held.current.setData(data, { keep: true });
      focused?.focus({ preventScroll: true }); // the scrub bar is rebuilt around its marks, which takes their focus away
    } else {
      held.current = createViewport(THREE, place.current, data, {
        theme: isDark() ? "dark" : "light", autoplay: !matchMedia("(prefers-reduced-motion: reduce)").matches, keys: windowKeys(place.current), start, controls, top, strip,
        onpick: (number, shape) => callbacks.current.onpick?.(number, shape),
        onframe: (now) => callbacks.current.onframe?.(now, held.current),
      });
      (window.studioViewports ??= new Map()).set(place.current, held.current);
      onready?.(held.current);
    }
    return held.current;
  };
  return { place, held, show };
}

// Takes, variants, strokes or meshes, played on one timeline.
//   items       ids, in the order shown
//   start       parts of the viewport's state at first: { layout: "overlaid", inPlace: true, trails: true, ... }
//   onready(v)  once, with the viewport: v.seek(seconds), v.play(), v.pause(), v.setLayout(name), v.state.seconds, ...
//   onpick(id)  an item was clicked;  onframe(state, v)  after each drawn frame
//   scene       instead of items: { manifest, buffer }, or a promise of it
//   fields      other parameters of the scene: { character: id } retargets clips to a character
//   ghosts      ids of items shown pale, in the same position as the others
//   strip       element over the scrub bar (timeline.js)
//   label, children (shown over it; they cover `top` pixels), empty (shown while there are no items)
export function Viewport({ items = [], scene, start, onready, onpick, onframe, controls, label = "motion", children, empty, fields, top, ghosts = [], strip }) {
  const stamps = useStore((now) => items.map((id) => { const item = now.items.find((one) => one.id === id); return `${id}:${item?.trim ?? ""}:${item?.facts?.frames ?? ""}:${JSON.stringify(item?.settings ?? "")}`; }).join(","));
  const [busy, setBusy] = useState(false);
  const shown = useRef([]), over = useRef(null);
  over.current ??= Object.assign(document.createElement("div"), { className: "strip" });
  // A separate component tree, rendered after this one, since hooks of two trees must not interleave.
  useEffect(() => { const later = setTimeout(() => render(strip || null, over.current)); return () => clearTimeout(later); });
  const { place, show } = useViewport({ start, onready, onframe, controls, top, strip: over.current, onpick: (number) => onpick?.(shown.current[number] ?? null, number) });
  const wanted = useRef(null), reading = useRef(false);
  useEffect(() => {
    wanted.current = items.length || scene ? { items, scene, fields, ghosts } : null;
    if (wanted.current && !reading.current) read();
  }, [stamps, scene, JSON.stringify(fields), ghosts.join()]);
  // One request at a time: only the newest of those made in the meantime is sent.
  const read = async () => {
    reading.current = true;
    setBusy(true);
    while (wanted.current) {
      const now = wanted.current, began = performance.now();
      wanted.current = null;
      try {
        const data = await (now.scene ?? api.scene(now.items, now.fields));
        if (now.ghosts.length) { // pale, and overlaid with the others
          data.manifest.shapes.forEach((shape) => { shape.ghost = now.ghosts.includes(shape.id); });
          data.manifest.layout = "overlaid";
        }
        shown.current = data.manifest.shapes.map((shape, k) => shape.id ?? now.items[k]);
        await show(data);
      } catch (error) { if (!wanted.current) toast(error.message, "error"); }
      // Scenes of many figures are slow: pause as long as the last one took, so the page stays responsive.
      if (now.items.length > MANY) await new Promise((go) => setTimeout(go, performance.now() - began));
    }
    reading.current = false;
    setBusy(false);
  };
  const nothing = !items.length && !scene;
  return html`<div class=${`stage ${nothing ? "stage-empty" : ""}`} aria-busy=${busy}>
    <div class="stage-view" role="group" ref=${place} aria-label=${label} hidden=${nothing}></div>
    ${nothing && html`<div class="stage-over">${empty}</div>`}
    ${children}
  </div>`;
}

// Endless motion of a model that reacts to `controls` immediately.
//   model       id;  controls  { amount, speed, ... }: sent when they change
//   fields      { source, seed, plant }: when they change, the motion restarts
//   onready(v)  the viewport;  onstart(json)  classes and so on;  onmessage(json)  other messages from the server,
//   frames;  onlive(number)  every frame
export function LiveViewport({ model, controls = {}, fields = {}, start, onready, onstart, onmessage, onlive, label = "live motion", children }) {
  const { place, show } = useViewport({ start, onready });
  const link = useRef(null), latest = useRef(controls), callbacks = useRef({});
  const [words, setWords] = useState("Starting …");
  latest.current = controls;
  callbacks.current = { onstart, onmessage, onlive };
  useEffect(() => {
    let live = null, header = null;
    setWords("Starting …");
    setSending(null);
    link.current = api.live(model, {
      controls: latest.current, fields,
      onstart: (message) => { header = message; callbacks.current.onstart?.(message); },
      onwaiting: setWords,
      onframe: (number, x, z, points, turns) => {
        if (!live) {
          live = new LiveScene(header, number, x, z, points, turns);
          show({ scene: live.scene }).then(() => setWords(""));
        } else live.push(number, x, z, points, turns);
        callbacks.current.onlive?.(number);
      },
      onmessage: (message) => { if ("sending" in message) setSending(message.sending); callbacks.current.onmessage?.(message); },
      onerror: (sentence) => { if (!live) setWords(sentence); toast(sentence, "error"); },
    });
    return () => link.current?.close();
  }, [model, JSON.stringify(fields)]);
  const [address, setAddress] = useKept("send to", "vmc://127.0.0.1:39539"), [sending, setSending] = useState(null);
  const send = (to) => { link.current?.send({ send: to }); if (!to) setSending(null); };
  const changed = JSON.stringify(controls);
  useEffect(() => { link.current?.send(JSON.parse(changed)); }, [changed]);
  return html`<div class="stage stage-live">
    <div class="stage-view" role="group" ref=${place} aria-label=${label}></div>
    ${words && html`<div class="stage-over" role="status"><p>${words}</p></div>`}
    ${children}
    ${!words && html`<details class="live-out own-keys"><summary>${sending ? `Sending to ${sending}` : "Send to an avatar …"}</summary>
      <label>Address (VMC) <input type="text" value=${address} onChange=${(event) => setAddress(event.target.value.trim())} /></label>
      <button type="button" class="button" onclick=${() => send(sending ? null : address)}>${sending ? "Stop sending" : "Send"}</button></details>`}
  </div>`;
}

