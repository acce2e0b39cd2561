// Choosing takes and models inside a tab, and sending only the newest request to the server.
//   <TakePicker label items ids onchange hint>    takes with boxes; a whole group is added or removed at once
//   <ModelSelect method label value onchange>     models of one method;  useModels(method) → items
//   useLatest(ask) → [value, busy, request]       only the newest of several requests is answered; never two at a time
//   useChosenModel(name, models) → [model, choose]

import { html, useEffect, useRef, useState } from "./vendor/preact-htm.module.js";
import { Button, Facts, Select } from "./ui.js";
import { useMovement } from "./movements.js";
import { addSample, itemOf, load, openMovement, toast, useOwn, useStore } from "./state.js";

const MOTIONS = ["take", "variant"];
// Motions of the current movement.
export const useMotions = (kinds = MOTIONS) => useMovement().own.filter((item) => kinds.includes(item.kind) && item.star >= 0);
// Models of all movements: styles belong to all of them.
export const useModels = (method) => useStore((now) => now.items).filter((item) => item.kind === "model" && item.facts.method === method);
export const isClip = (item) => Boolean(item.facts.joints);

export function useChosenModel(name, models) {
  const [id, choose] = useOwn(name, null);
  return [models.find((one) => one.id === id) ?? models[models.length - 1] ?? null, choose];
}

export function ModelSelect({ models, value, onchange, label = "Model" }) {
  return html`<${Select} label=${label} value=${value?.id ?? ""} options=${models.map((one) => [one.id, one.name])} onchange=${onchange} />`;
}

export function groupsOf(items) {
  const groups = new Map();
  for (const item of items) groups.set(item.group ?? "", [...(groups.get(item.group ?? "") ?? []), item]);
  return [...groups].map(([name, members]) => ({ name, members }));
}

// Adds samples, shows the first of them, and continues with `then(ids of each)`.
export function SampleButton({ names, words, then }) {
  const [busy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    const added = [];
    for (const name of names) added.push((await addSample(name)) ?? []);
    await load();
    if (added.every((ids) => ids.length)) {
      openMovement(itemOf(added[0][0])?.movement);
      await then?.(added);
    }
    setBusy(false);
  };
  return html`<${Button} kind="primary" busy=${busy} onclick=${add}>${words}<//>`;
}

// Movements of bodies, those with the skeleton of `like` first; options of a select.
export function useBodies(like) {
  const items = useStore((now) => now.items);
  return items.filter((item) => item.kind === "movement" && item.facts.what === "body" && items.some((one) => one.movement === item.id && one.kind === "take"))
    .sort((a, b) => Number(b.facts.signature === like?.facts.signature) - Number(a.facts.signature === like?.facts.signature));
}
export const takesOf = (items, movement) => items.filter((item) => item.movement === movement && item.kind === "take" && item.star >= 0).map((item) => item.id);

export function TakePicker({ label, items, ids, onchange, hint, empty = "This movement has none." }) {
  const known = new Set(items.map((item) => item.id)), chosen = new Set(ids.filter((id) => known.has(id)));
  const put = (some, on) => onchange(items.filter((item) => (some.has(item.id) ? on : chosen.has(item.id))).map((item) => item.id));
  return html`<fieldset class="picker own-keys" title=${hint}>
    <legend>${label} <span class="picker-count">${chosen.size ? `${chosen.size} selected` : "none selected"}</span></legend>
    ${!items.length && html`<p class="note">${empty}</p>`}
    <div class="picker-list">${groupsOf(items).map(({ name, members }) => {
      const on = members.filter((item) => chosen.has(item.id)).length, all = new Set(members.map((item) => item.id));
      return html`<div key=${name} class="picker-group">
        ${members.length > 1 && html`<label class="picker-all"><input type="checkbox" checked=${on === members.length} indeterminate=${on > 0 && on < members.length}
          onChange=${() => put(all, on < members.length)} /><b>${name || "Takes"}</b><span class="facts">${members.length}</span></label>`}
        ${members.map((item) => html`<label key=${item.id} class="picker-one"><input type="checkbox" checked=${chosen.has(item.id)}
          onChange=${(event) => put(new Set([item.id]), event.target.checked)} /><span>${item.name}</span><${Facts} item=${item} /></label>`)}
      </div>`;
    })}</div>
  </fieldset>`;
}

// `request(what)` sends a request; while one is running, only the newest waiting one is queued.
export function useLatest(ask) {
  const [value, setValue] = useState(null), [busy, setBusy] = useState(false);
  const now = useRef({ busy: false, next: undefined, gone: false });
  useEffect(() => () => { now.current.gone = true; }, []);
  const request = async (what) => {
    const held = now.current;
    held.next = { what };
    if (held.busy) return;
    held.busy = true;
    setBusy(true);
    while (held.next && !held.gone) {
      const { what: question } = held.next;
      held.next = undefined;
      try {
        const answer = await ask(question);
        if (!held.gone) setValue(answer);
      } catch (error) { if (!held.gone && !held.next) toast(error.message, "error"); }
    }
    held.busy = false;
    if (!held.gone) setBusy(false);
  };
  return [value, busy, request];
}

// The size of an element in CSS pixels, kept up to date: [ref, wide, tall].
export function useSize() {
  const place = useRef(null), [size, setSize] = useState([0, 0]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setSize([Math.round(entry.contentRect.width), Math.round(entry.contentRect.height)]));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return [place, ...size];
}

// Sets the size of a canvas in CSS pixels, sharp on every screen; returns its cleared 2-D context.
export function penOf(canvas, wide, tall) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(tall * ratio)) {
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(tall * ratio);
    Object.assign(canvas.style, { width: `${wide}px`, height: `${tall}px` });
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, wide, tall);
  return pen;
}

// Calls `act(seconds since the last call)` for every screen frame, as long as `on`.
export function useFrames(act, on = true) {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    if (!on) return undefined;
    let running = 0, before = performance.now();
    const frame = (now) => {
      running = requestAnimationFrame(frame);
      newest.current(Math.min((now - before) / 1000, 0.1));
      before = now;
    };
    running = requestAnimationFrame(frame);
    return () => cancelAnimationFrame(running);
  }, [on]);
}

export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- gamepads ----
export const STICK = 0.3; // dead zone of a stick
export const gamepadNow = () => [...(navigator.getGamepads?.() ?? [])].find(Boolean) ?? null;

// `act({ axes, pressed, held })` every frame while a gamepad is connected: `pressed` is a button that was just pressed
// (-1: none), `held` an object that persists between frames.
export function useGamepad(on, act) {
  const down = useRef([]), held = useRef({});
  useFrames(() => {
    const pad = gamepadNow();
    if (!pad) return;
    const now = pad.buttons.map((button) => button.pressed), pressed = now.findIndex((is, k) => is && !down.current[k]);
    down.current = now;
    act({ axes: [...pad.axes], pressed, held: held.current });
  }, on);
}
