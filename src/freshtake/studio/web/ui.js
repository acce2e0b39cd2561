// The controls that all tabs share. Everything here is keyboard reachable and has a label for screen readers.
//
// A tab is `tabs/<name>.js` with `export default { name, label, Tab, shows }`; app.js lists it. `shows`: tasks whose
// progress the tab shows itself (else it is in the strip at the bottom). Inside a tab:
//
//   import { html, useState, useEffect, useRef, useMemo } from "../vendor/preact-htm.module.js";
//   import { Button, Slider, Viewport, ... } from "../ui.js";
//   import { api } from "../api.js";                 routes: api.get(path, fields), api.post(path, json), api.scene(ids), ...
//   import { useStore, useKept, choose, run, ... } from "../state.js";    the project, and what is chosen
//
// Layout of a tab: html`<${Split} side=${...} end=${...}>stage<//>`: controls on the left, the stage, a list on the right.
//   <Split side end label>         three columns; `side` and `end` may be left out
//   <Panel title actions open fill>  a titled block of a column; with `open` (true or false) it can be folded; `fill`: as
//                                  tall as there is room, its list scrolls; `name`: where the title changes
//   <Row>                          controls in one line;  <Note kind="plain|warn|good">  a sentence
//   <Empty title words>children    what to do where there is nothing yet
// Controls (`onchange` gets the value, not the event):
//   <Button kind="plain|primary|quiet|danger" pressed disabled title busy onclick>
//   <Slider label value min max step format hint oninput onchange>      oninput while it moves, onchange when let go
//   <NumberField label value min max step onchange>   <TextField label value onchange>
//   <Select label value options=[[value, text], ...] onchange hint hidden>   hidden: the label is for screen readers only
//   <Segmented label value options onchange>
//   <Toggle label value onchange hint>
// Items and work:
//   <ItemList items chosen onchoose=(ids) multiple tools=(item) => vnode empty small stars label>
//   <Stars item>    star and reject buttons;   <Facts item>   joints, seconds, frames in words;   <Thumb id moving>
//   <Progress job cancel>   a running job: phase, bar, time left, cancel;   <TaskButton task items settings words ondone>
//   <ExportBar ids>  formats and one button; the file is downloaded when it is made;  useJobs(task) → running jobs of a task
// Motion (stage.js): <Viewport items ...>, <LiveViewport model controls ...>. Plots (charts.js): <LinePlot>, <PointPlot>.

import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact-htm.module.js";
import { api } from "./api.js";
import { attempt, isOver, run, set, star, state, toast, useKept, useStore } from "./state.js";

export { Viewport, LiveViewport } from "./stage.js";
export { LinePlot, PointPlot } from "./charts.js";

let ids = 0;
const useId = () => useMemo(() => `field-${(ids += 1)}`, []);

// ---- layout ----
export function Split({ side, end, children, label }) {
  return html`<div class=${`split ${side ? "has-side" : ""} ${end ? "has-end" : ""}`}>
    ${side && html`<aside class="side" aria-label=${label ?? "settings"}>${side}</aside>`}
    <section class="middle">${children}</section>
    ${end && html`<aside class="side end">${end}</aside>`}
  </div>`;
}

export function Panel({ title, actions, open, children, tight, fill, name = title }) {
  const [shown, setShown] = useKept(`panel ${name}`, open ?? true);
  const folds = open !== undefined;
  return html`<section class=${`panel ${tight ? "tight" : ""} ${fill ? "fill" : ""}`}>
    ${title && html`<header><h2>${folds
      ? html`<button type="button" class="fold" aria-expanded=${shown} onclick=${() => setShown(!shown)}>${title}</button>`
      : title}</h2>${actions}</header>`}
    ${(!folds || shown) && children}
  </section>`;
}

export const Row = ({ children, label, end }) => html`<div class=${`row ${end ? "row-end" : ""}`} role=${label && "group"} aria-label=${label}>${children}</div>`;
export const Note = ({ children, kind = "plain" }) => html`<p class=${`note note-${kind}`}>${children}</p>`;

export function Empty({ title, words, children }) {
  return html`<div class="empty"><h3>${title}</h3>${words && html`<p>${words}</p>`}${children && html`<div class="empty-do">${children}</div>`}</div>`;
}

// ---- controls ----
export function Button({ kind = "plain", pressed, disabled, busy, title, onclick, children, label, href, download }) {
  if (href) return html`<a class=${`button ${kind}`} href=${href} download=${download} title=${title}>${children}</a>`;
  return html`<button type="button" class=${`button ${kind}`} disabled=${disabled || busy} aria-pressed=${pressed === undefined ? undefined : String(pressed)}
    aria-label=${label} title=${title} aria-busy=${busy ? "true" : undefined} onclick=${onclick}>${children}</button>`;
}

export function Slider({ label, value, min = 0, max = 1, step = 0.01, format = (x) => String(x), hint, oninput, onchange, disabled }) {
  const id = useId();
  const [moving, setMoving] = useState(null);
  const now = moving ?? value;
  const done = (100 * (now - min)) / (max - min);
  return html`<div class="field slider" title=${hint}>
    <label for=${id}>${label}</label><output for=${id}>${format(now)}</output>
    <input id=${id} type="range" min=${min} max=${max} step=${step} value=${now} disabled=${disabled}
      style=${{ "--done": `${done}%` }} aria-valuetext=${format(now)}
      onInput=${(event) => { const next = Number(event.target.value); setMoving(next); oninput?.(next); }}
      onChange=${(event) => { setMoving(null); onchange?.(Number(event.target.value)); }} />
  </div>`;
}

export function NumberField({ label, value, min, max, step = 1, onchange, hint, disabled }) {
  const id = useId(), [draft, setDraft] = useState(null); // what is typed stays while the page is drawn again
  const set = (text) => {
    const next = Number(text);
    if (text === "" || !Number.isFinite(next)) return;
    onchange?.(Math.min(Math.max(next, min ?? -Infinity), max ?? Infinity));
  };
  return html`<div class="field number" title=${hint}><label for=${id}>${label}</label>
    <input id=${id} type="number" inputmode="decimal" value=${draft ?? value} min=${min} max=${max} step=${step} disabled=${disabled}
      onInput=${(event) => setDraft(event.target.value)} onChange=${(event) => { setDraft(null); set(event.target.value); }} /></div>`;
}

export function TextField({ label, value, onchange, hint, placeholder }) {
  const id = useId(), [draft, setDraft] = useState(null);
  return html`<div class="field" title=${hint}><label for=${id}>${label}</label>
    <input id=${id} type="text" value=${draft ?? value} placeholder=${placeholder} onInput=${(event) => setDraft(event.target.value)}
      onChange=${(event) => { setDraft(null); onchange?.(event.target.value); }} /></div>`;
}

export function Select({ label, value, options, onchange, hint, disabled, hidden }) {
  const id = useId();
  return html`<div class="field select" title=${hint}>${label && !hidden && html`<label for=${id}>${label}</label>`}
    <select id=${id} value=${String(value)} disabled=${disabled} aria-label=${label}
      onChange=${(event) => onchange?.(options.find(([one]) => String(one) === event.target.value)?.[0])}>
      ${options.map(([one, text]) => html`<option key=${one} value=${String(one)} selected=${String(one) === String(value)}>${text}</option>`)}
    </select></div>`;
}

export function Segmented({ label, value, options, onchange }) {
  return html`<div class="segmented" role="group" aria-label=${label}>
    ${options.map(([one, text, hint]) => html`<button type="button" key=${one} title=${hint} aria-pressed=${String(one === value)} onclick=${() => onchange(one)}>${text}</button>`)}
  </div>`;
}

export function Toggle({ label, value, onchange, hint, disabled }) {
  return html`<label class="toggle" title=${hint}><input type="checkbox" role="switch" checked=${value} disabled=${disabled}
    onChange=${(event) => onchange(event.target.checked)} /><span>${label}</span></label>`;
}

// ---- items ----
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Browsers ask a server for few things at once: pictures go in turns, so that motion never waits for them.
const MOST_PICTURES = 2;
const turns = { waiting: [], taken: 0 };
function takeTurn(begin) {
  const entry = { begin, taken: false };
  turns.waiting.push(entry);
  giveTurns();
  return () => {
    turns.waiting = turns.waiting.filter((one) => one !== entry);
    if (entry.taken) { entry.taken = false; turns.taken -= 1; }
    giveTurns();
  };
}
function giveTurns() {
  while (turns.taken < MOST_PICTURES && turns.waiting.length) {
    const next = turns.waiting.shift();
    next.taken = true;
    turns.taken += 1;
    next.begin();
  }
}

export function Thumb({ id, moving = true, stamp = "" }) {
  const [source, setSource] = useState(null), place = useRef(null), end = useRef(() => {});
  useEffect(() => {
    setSource(null);
    const address = api.thumbnail(id, moving && !still() ? "gif" : "png") + (stamp ? `?v=${encodeURIComponent(stamp)}` : "");
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      end.current = takeTurn(() => setSource(address));
    });
    seen.observe(place.current);
    return () => { seen.disconnect(); end.current(); };
  }, [id, stamp]);
  return html`<span class="thumb" ref=${place}>${source && html`<img alt="" decoding="async" src=${source} onLoad=${() => end.current()} onError=${() => { end.current(); setSource(null); }} />`}</span>`;
}

const METHODS = { variation: "variations", style: "style", density: "blend", texture: "endless playback" };
export function factWords({ kind, facts = {}, seed }) {
  const out = [];
  if (kind === "model") out.push(METHODS[facts.method] ?? "model", facts.examples ? `${facts.examples} takes` : "");
  else if (kind === "export") out.push(facts.count > 1 ? `${facts.count} motions` : "", facts.bytes ? `${Math.max(1, Math.round(facts.bytes / 1024))} kB` : "");
  else if (facts.seconds !== undefined) out.push(`${Number(facts.seconds).toFixed(2)} s`);
  if (kind === "take") out.push(facts.joints ? `${facts.joints} joints` : "", facts.fps ? `${Math.round(facts.fps)} fps` : "");
  if (seed !== null && seed !== undefined && kind === "variant") out.push(`seed ${seed}`);
  return out.filter(Boolean).join(" · ");
}
export const Facts = ({ item }) => html`<span class="facts">${factWords(item)}</span>`;

export function Stars({ item }) {
  return html`<span class="stars">
    <button type="button" class="star" aria-pressed=${String(item.star === 1)} aria-label=${`star ${item.name}`} title="star" onclick=${() => star(item, 1)}>${item.star === 1 ? "★" : "☆"}</button>
    <button type="button" class="reject" aria-pressed=${String(item.star === -1)} aria-label=${`reject ${item.name}`} title="reject" onclick=${() => star(item, -1)}>✕</button>
  </span>`;
}

const PICTURED = ["take", "variant", "strokes", "character"];

// A list in which one or several items are chosen: click; Ctrl or the box adds; Shift chooses up to there; arrows move.
export function ItemList({ items, chosen = [], onchoose, multiple = true, tools, empty, small, stars, label = "items", thumbs = true }) {
  const last = useRef(null);
  if (!items.length) return empty ?? null;
  const pick = (event, item, k) => {
    const adds = multiple && (event.ctrlKey || event.metaKey || event.boxed);
    if (multiple && event.shiftKey && last.current !== null) {
      const [from, to] = [last.current, k].sort((a, b) => a - b);
      onchoose([...new Set([...chosen, ...items.slice(from, to + 1).map((one) => one.id)])]);
      return;
    }
    last.current = k;
    if (adds) onchoose(chosen.includes(item.id) ? chosen.filter((id) => id !== item.id) : [...chosen, item.id]);
    else onchoose(multiple && chosen.length === 1 && chosen[0] === item.id ? [] : [item.id]);
  };
  const move = (event, k) => {
    const to = { ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || !items[to]) return;
    event.preventDefault();
    event.currentTarget.closest("ul").children[to].querySelector(".item-name").focus();
  };
  return html`<ul class=${`items own-keys ${small ? "items-small" : ""}`} aria-label=${label}>
    ${items.map((item, k) => html`<li key=${item.id} data-id=${item.id} class=${`item kind-${item.kind} ${chosen.includes(item.id) ? "chosen" : ""} ${item.star < 0 ? "rejected" : ""}`}>
      ${multiple && html`<input type="checkbox" aria-label=${`choose ${item.name}`} checked=${chosen.includes(item.id)} onChange=${() => pick({ boxed: true }, item, k)} />`}
      <button type="button" class="item-name" aria-pressed=${String(chosen.includes(item.id))} onclick=${(event) => pick(event, item, k)} onKeyDown=${(event) => move(event, k)}>
        ${thumbs && PICTURED.includes(item.kind) && html`<${Thumb} id=${item.id} moving=${!small} stamp=${item.trim ? item.trim.join("-") : ""} />`}
        <span class="item-words"><b>${item.name}</b><${Facts} item=${item} /></span>
      </button>
      ${stars && html`<${Stars} item=${item} />`}
      ${tools?.(item)}
    </li>`)}
  </ul>`;
}

// ---- work ----
export const useJobs = (task) => useStore((now) => now.jobs).filter((job) => !isOver(job) && (!task || job.task === task));

const TASKS = {
  read: "Reading", repair: "Repairing", cut: "Cutting", learn: "Learning", vary: "Making variants", again: "Making again", export: "Exporting",
  style_learn: "Learning a style", style_apply: "Translating", blend_learn: "Learning the blend", blend_sample: "Blending",
  texture_learn: "Learning the playback", texture_sample: "Playing", evaluate: "Judging", noise: "Adding noise",
};
export const taskWords = (task) => TASKS[task] ?? task;

function left(seconds) {
  if (seconds === null || seconds === undefined) return "";
  return seconds < 1.5 ? "a moment left" : seconds < 90 ? `${Math.round(seconds)} s left` : `${Math.round(seconds / 60)} min left`;
}

export function Progress({ job, cancel = true }) {
  const share = job.of ? Math.min(job.done / job.of, 1) : null;
  const task = taskWords(job.task), phase = job.state === "waiting" ? "waiting" : job.phase;
  const same = phase.toLowerCase().startsWith(task.split(" ")[0].toLowerCase()); // "Reading: reading walk_1" says it twice
  const words = same ? phase[0].toUpperCase() + phase.slice(1) : [task, phase].filter(Boolean).join(": ");
  const count = job.of > 1 && Number.isInteger(job.of) && !/\d of \d/.test(phase) ? `${Math.floor(job.done)} of ${job.of}` : "";
  return html`<div class="progress" role="status">
    <span class="progress-words"><b>${words}</b><span>${[count, left(job.seconds_left)].filter(Boolean).join(" · ")}</span></span>
    <progress value=${share === null ? undefined : share} max="1" aria-label=${words}></progress>
    ${cancel && html`<button type="button" class="button quiet" aria-label=${`cancel: ${words}`} onclick=${() => attempt(api.cancel(job.id))}>Cancel</button>`}
  </div>`;
}

// A button that starts a task and shows how far it is; `ondone(job)` when it was done.
export function TaskButton({ task, items, settings, words, kind = "primary", disabled, ondone, title }) {
  const [id, setId] = useState(null);
  const job = useStore((now) => now.jobs).find((one) => one.id === id);
  if (job && !isOver(job)) return html`<${Progress} job=${job} />`;
  const start = async () => {
    const done = await run(task, items, settings, (begun) => setId(begun.id));
    if (done) ondone?.(done);
  };
  return html`<${Button} kind=${kind} disabled=${disabled} title=${title} onclick=${start}>${words}<//>`;
}

const FORMATS = [
  ["fbx", "FBX – Maya, Unreal, Unity, MotionBuilder"], ["bvh", "BVH – every animation program"], ["glb", "glTF (GLB) – Blender, game engines, web"],
  ["usd", "USD – Houdini, Omniverse, Maya"], ["npz", "NumPy arrays"], ["pack", "Pack – a folder with a preview page"],
];

export function download(id) {
  const link = document.createElement("a");
  link.href = api.exportAddress(id);
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

const MOST_SKINNED = 60; // figures that wear a skin at once
const isCharacter = (item) => Boolean(item.facts?.character);

// The character whose skin figures wear, and the control that chooses it: [id or null, vnode].
export function useCharacter(figures) {
  const characters = useStore((now) => now.items).filter(isCharacter), [chosen, choose] = useKept("shown on", "");
  const known = characters.some((item) => item.id === chosen) && figures <= MOST_SKINNED;
  return [known ? chosen : null, characters.length > 0 && html`<${Select} label="Shown on" hidden value=${known ? chosen : ""} options=${[["", "Figures"], ...characters.map((item) => [item.id, item.name])]} onchange=${choose} hint="the body that wears the motion" />`];
}

// One click exports; the file is downloaded as soon as it is made. Format and character are kept with the project.
export function ExportBar({ ids: items, what = "", settings = {} }) {
  const preset = useStore((now) => now.presets.export) ?? {}, all = useStore((now) => now.items);
  const characters = all.filter((item) => item.kind === "character" || isCharacter(item));
  const format = preset.format ?? "fbx", character = characters.some((item) => item.id === preset.character) ? preset.character : null;
  const keep = async (changes) => { const next = { format, character, ...changes }; set({ presets: { ...state.presets, export: next } }); await attempt(api.preset("export", next)); };
  const ondone = (job) => {
    job.made.forEach(download);
    toast(`${items.length === 1 ? "One motion" : `${items.length} motions`} exported.`, "good");
  };
  return html`<div class="export">
    <${Select} label="Format" value=${format} options=${FORMATS} onchange=${(next) => keep({ format: next })} />
    ${characters.length > 0 && html`<${Select} label="On" value=${character ?? ""} options=${[["", "the takes' own skeleton"], ...characters.map((item) => [item.id, item.name])]} onchange=${(next) => keep({ character: next || null })}
      hint="bones are matched automatically, by name and position" />`}
    <${TaskButton} task="export" items=${items} settings=${{ format, ...(character ? { character } : {}), ...settings }} disabled=${!items.length} ondone=${ondone}
      words=${items.length ? `Export ${items.length} ${what}` : `Export ${what}`} title=${items.length ? "" : "star what you like first"} />
  </div>`;
}
