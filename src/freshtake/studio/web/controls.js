// Layout and controls that all tabs share; ui.js documents them.

import { html, useMemo, useState } from "./vendor/preact-htm.module.js";
import { useKept } from "./state.js";


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
  const id = useId(), [draft, setDraft] = useState(null); // typed text survives rendering
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
