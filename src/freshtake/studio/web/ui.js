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
// Items (item_list.js) and work (work.js):
//   <ItemList items chosen onchoose=(ids) multiple tools=(item) => vnode empty small stars label>
//   <Stars item>    star and reject buttons;   <Facts item>   joints, seconds, frames in words;   <Thumb id moving>
//   <Progress job cancel>   a running job: phase, bar, time left, cancel;   <TaskButton task items settings words ondone>
//   <ExportBar ids>  formats and one button; the file is downloaded when it is made;  useJobs(task) → running jobs of a task
// Motion (stage.js): <Viewport items ...>, <LiveViewport model controls ...>. Plots (charts.js): <LinePlot>, <PointPlot>.

import { html, useMemo, useState } from "./vendor/preact-htm.module.js";
import { useKept } from "./state.js";

export { Viewport, LiveViewport } from "./stage.js";
export { LinePlot, PointPlot } from "./charts.js";
export { Facts, ItemList, Stars, Thumb, factWords } from "./item_list.js";
export { ExportBar, Progress, TaskButton, download, taskWords, useCharacter, useJobs } from "./work.js";

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
