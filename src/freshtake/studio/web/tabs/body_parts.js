// A body with clickable parts: each part varies with the rest, by a separate amount, or not at all.

import { html, useState } from "../vendor/preact-htm.module.js";
import { Button, Note, Row, Slider } from "../ui.js";

// The person faces the viewer: its right is on the left.
const SHAPES = {
  head: "M50 4a12 12 0 0 1 12 12c0 8-5 15-12 15s-12-7-12-15A12 12 0 0 1 50 4z",
  trunk: "M37 36h26q6 0 7 6l-4 42q0 8-6 8H40q-6 0-6-8l-4-42q1-6 7-6z",
  "right arm": "M27 37q-6 1-8 8L9 88q-1 8 5 9 5 1 7-6l9-40z",
  "left arm": "M73 37q6 1 8 8l10 43q1 8-5 9-5 1-7-6l-9-40z",
  "right leg": "M36 95h12.500l-2 74q-.5 7-7 7t-6-7z",
  "left leg": "M64 95H51.500l2 74q.5 7 7 7t6-7z",
};

export function BodyParts({ amount, parts, oninput, onchange }) {
  const [part, setPart] = useState(null);
  const of = (name) => parts[name] ?? amount;
  const changed = (name, value) => { const next = { ...parts }; if (value === null) delete next[name]; else next[name] = value; return next; };
  const put = (name, value) => onchange(changed(name, value));
  const words = (name) => `${name}: ${parts[name] === undefined ? `same as the rest (${amount.toFixed(2)})` : parts[name] === 0 ? "no variation" : parts[name].toFixed(2)}`;
  const key = (event, name) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); setPart(name); } };
  return html`<div class="body-parts own-keys">
      <svg viewBox="0 0 100 180" role="group" aria-label="parts of the body">${Object.entries(SHAPES).map(([name, path]) => html`<path key=${name} d=${path} tabindex="0" role="button"
        aria-label=${words(name)} aria-pressed=${String(part === name)} class=${`${parts[name] === undefined ? "" : "own"} ${part === name ? "picked" : ""}`} fill-opacity=${0.12 + 0.44 * Math.min(of(name), 2)}
        onclick=${() => setPart(name)} onKeyDown=${(event) => key(event, name)}><title>${words(name)}</title></path>`)}</svg>
      <div class="body-words">
        ${part ? html`<${Slider} key=${part} label=${part} value=${of(part)} min=${0} max=${2} step=${0.05} format=${(x) => x.toFixed(2)} oninput=${(value) => oninput(changed(part, value))} onchange=${(value) => put(part, value)} />
            <${Row}><${Button} disabled=${parts[part] === 0} onclick=${() => put(part, 0)}>No variation<//><${Button} kind="quiet" disabled=${parts[part] === undefined} onclick=${() => put(part, null)}>Same as the rest<//><//>`
          : html`<${Note}>Click a part to make it vary more, less, or not at all.<//>`}
        ${Object.keys(parts).length > 0 && html`<${Button} kind="quiet" onclick=${() => onchange({})}>Reset all parts<//>`}
      </div>
    </div>`;
}
