// Marks on the scrub bar: in and out of a stretch, pinned poses, the ends of a trim. Each can be dragged, or moved by keys.
//
//   <Timeline seconds step marks bands onseek />   seconds: length; step: of one frame
//     marks   [{ key, kind: "in|out|pin|start|end", second, label, least, most, onmove(second, done), onremove }]
//     bands   [{ from, to, kind: "stretch|left-out" }]

import { html, useRef, useState } from "./vendor/preact-htm.module.js";

const THUMB = 16; // pixels: half of the scrub bar's thumb is beyond either end of the range
const place = (second, seconds) => `calc(${THUMB / 2}px + (100% - ${THUMB}px) * ${Math.min(Math.max(second / seconds, 0), 1)})`;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// The time in seconds on the scrub bar below a point of the page, or null outside it.
export function secondAt(x, y, near = 28) {
  const bar = document.querySelector(".ft-scrubbing"), scrub = bar?.querySelector(".ft-scrub");
  if (!bar) return null;
  const box = bar.getBoundingClientRect();
  if (x < box.left - near || x > box.right + near || y < box.top - near || y > box.bottom + near) return null;
  return clamp((x - box.left - THUMB / 2) / (box.width - THUMB), 0, 1) * Number(scrub.max);
}

function Mark({ kind, second, label, least = 0, most, onmove, onremove, seconds, step, onseek }) {
  const [moving, setMoving] = useState(null), held = useRef(null);
  const now = moving ?? second, snapped = (value) => clamp(Math.round(value / step) * step, least, most ?? seconds);
  const go = (value, done) => { setMoving(done ? null : value); onseek(value); onmove(value, done); };
  const on = {
    down(event) { event.preventDefault(); event.stopPropagation(); event.currentTarget.focus(); event.currentTarget.setPointerCapture(event.pointerId); held.current = now; },
    move(event) {
      if (held.current === null) return;
      const value = secondAt(event.clientX, event.clientY, Infinity);
      if (value !== null) { held.current = snapped(value); go(held.current, false); }
    },
    up() { if (held.current !== null) { const value = held.current; held.current = null; go(value, true); } },
    key(event) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) go(snapped(second + by * step * (event.shiftKey ? 10 : 1)), true);
      else if (event.key === "Home") go(least, true);
      else if (event.key === "End") go(most ?? seconds, true);
      else if (["Delete", "Backspace"].includes(event.key) && onremove) onremove();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
  return html`<span class=${`mark mark-${kind}`} role="slider" tabindex="0" style=${{ left: place(now, seconds) }} title=${`${label}: ${now.toFixed(2)} s`} aria-label=${label} aria-valuemin=${least} aria-valuemax=${most ?? seconds}
    aria-valuenow=${now} aria-valuetext=${`${now.toFixed(2)} s, frame ${Math.round(now / step)}`} onPointerDown=${on.down} onPointerMove=${on.move} onPointerUp=${on.up} onPointerCancel=${on.up} onKeyDown=${on.key}></span>`;
}

export function Timeline({ seconds, step, marks, bands = [], onseek }) {
  return html`${bands.map(({ from, to, kind }) => html`<span key=${`${kind}${from}`} class=${`band band-${kind}`} style=${{ left: place(from, seconds), width: `calc((100% - ${THUMB}px) * ${clamp((to - from) / seconds, 0, 1)})` }}></span>`)}
    ${marks.map((mark) => html`<${Mark} ...${mark} key=${mark.key} seconds=${seconds} step=${step} onseek=${onseek} />`)}`;
}

// A button to press, or to drag onto the scrub bar: `onpress()`, `ondrop(second)`.
export function DragButton({ title, onpress, ondrop, children }) {
  const start = useRef(null), [at, setAt] = useState(null);
  const on = {
    down(event) { start.current = [event.clientX, event.clientY]; event.currentTarget.setPointerCapture(event.pointerId); },
    move(event) {
      if (!start.current) return;
      if (at || Math.hypot(event.clientX - start.current[0], event.clientY - start.current[1]) > 6) setAt([event.clientX, event.clientY]);
    },
    up(event) {
      const second = at && secondAt(event.clientX, event.clientY);
      start.current = null;
      if (at && second !== null) ondrop(second);
      setAt(null);
    },
  };
  const dragged = useRef(false);
  return html`<button type="button" class="button" title=${title} onPointerDown=${on.down} onPointerMove=${on.move} onPointerUp=${(event) => { dragged.current = Boolean(at); on.up(event); }}
      onPointerCancel=${() => { start.current = null; setAt(null); }} onclick=${() => { if (!dragged.current) onpress(); dragged.current = false; }}>${children}</button>
    ${at && html`<span class="dragged-pin" aria-hidden="true" style=${{ left: `${at[0]}px`, top: `${at[1]}px` }}></span>`}`;
}
