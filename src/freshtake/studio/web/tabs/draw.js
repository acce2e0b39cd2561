// Draw a character four times by mouse, pen or finger; fifteen variants write themselves, each with its timing.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { penOf, save, useFrames, useSize } from "../picking.js";
import { isDark, itemOf, load, openMovement, run, toast, useKept, useStore } from "../state.js";
import { Button, Empty, Note, NumberField, Panel, Row, Segmented, Slider, Split, TextField } from "../ui.js";

const BOXES = 4, SIDE = 100; // units of a box
const WAIT = 450; // milliseconds after lifting the pen in which another stroke may follow
const REST = 0.9; // seconds between two rounds of writing
const BLUE = "#3b82d6", GREEN = "#35a264";
const EMPTY = Array.from({ length: BOXES }, () => []);
const drawn = (boxes) => boxes.filter((pens) => pens.length).length;

// ---- a box to draw in ----
function Box({ number, pens, ghost, onchange }) {
  const [place, wide, tall] = useSize(), canvas = useRef(null), live = useRef(null);
  useStore((now) => now.theme);
  const dark = isDark(), size = Math.min(wide, tall);
  const paint = () => {
    if (!size) return;
    const pen = penOf(canvas.current, wide, tall), scale = size / SIDE, at = (x, y) => [x * scale, (SIDE - y) * scale];
    pen.lineCap = pen.lineJoin = "round";
    pen.strokeStyle = dark ? "#2b333c" : "#e3e7ec";
    pen.lineWidth = 1;
    pen.beginPath(); pen.moveTo(...at(6, 25)); pen.lineTo(...at(94, 25)); pen.stroke();
    for (const one of ghost ?? []) ink(pen, one, at, dark ? "#39434e" : "#d5dbe2", size / 34);
    for (const one of [...pens, ...(live.current ? [live.current] : [])]) ink(pen, one, at, BLUE, size / 34);
  };
  useEffect(paint);
  const point = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const short = (value) => Math.round(value * 1e4) / 1e4; // rounded, since drawings are stored across reloads
    return [short(((event.clientX - box.left) / size) * SIDE), short(SIDE - ((event.clientY - box.top) / size) * SIDE), short(event.timeStamp / 1000)];
  };
  const down = (event) => {
    if (event.button !== 0 || live.current) return;
    event.preventDefault();
    canvas.current.setPointerCapture(event.pointerId);
    live.current = [point(event)];
    paint();
  };
  const move = (event) => {
    if (!live.current) return;
    const every = event.getCoalescedEvents?.() ?? [];
    for (const one of every.length ? every : [event]) live.current.push(point(one));
    paint();
  };
  const up = () => {
    if (!live.current) return;
    const pen = live.current;
    live.current = null;
    if (pen.length > 1) onchange([...pens, pen]);
    else paint();
  };
  return html`<div class="draw-box">
    <div class="draw-paper" ref=${place}>
      <canvas ref=${canvas} role="img" aria-label=${`drawing ${number + 1}: ${pens.length ? `${pens.length} strokes` : "empty"}`}
        onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${up}></canvas>
      ${!pens.length && html`<span class="draw-number" aria-hidden="true">${number + 1}</span>`}
    </div>
    <${Row}>
      <${Button} kind="quiet" disabled=${!pens.length} label=${`undo the last stroke of drawing ${number + 1}`} onclick=${() => onchange(pens.slice(0, -1))} title="remove the last stroke">Undo<//>
      <${Button} kind="quiet" disabled=${!pens.length} label=${`clear drawing ${number + 1}`} onclick=${() => onchange([])}>Clear<//>
    <//>
  </div>`;
}

function ink(pen, points, at, color, width, until = Infinity) {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.beginPath();
  let last = null;
  for (const [x, y, t] of points) {
    if (t > until) {
      if (last) { const share = (until - last[2]) / (t - last[2]); last = [last[0] + share * (x - last[0]), last[1] + share * (y - last[1]), until]; pen.lineTo(...at(last[0], last[1])); }
      break;
    }
    pen[last ? "lineTo" : "moveTo"](...at(x, y));
    last = [x, y, t];
  }
  pen.stroke();
  return last;
}

// ---- variants that write themselves ----
const bounds = (lists) => {
  let [left, low, right, high] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const pens of lists) for (const pen of pens) for (const [x, y] of pen) { left = Math.min(left, x); right = Math.max(right, x); low = Math.min(low, y); high = Math.max(high, y); }
  return { x: (left + right) / 2, y: (low + high) / 2, size: Math.max(right - left, high - low, 1) * 1.18 };
};
const lasts = (pens) => Math.max(0, ...pens.map((pen) => pen[pen.length - 1][2]));

function Writing({ variants, speed }) {
  const [place, wide, tall] = useSize(), canvas = useRef(null), clock = useRef(0);
  useStore((now) => now.theme);
  useEffect(() => { clock.current = 0; }, [variants.round]);
  useFrames((passed) => {
    if (!wide || !tall) return;
    const { lists } = variants, round = Math.max(...lists.map(lasts)) + REST * speed;
    clock.current = (clock.current + passed * speed) % round;
    const columns = bestColumns(lists.length, wide, tall), rows = Math.ceil(lists.length / columns);
    const cell = [wide / columns, tall / rows], { x, y, size } = bounds(lists), scale = Math.min(...cell) / size;
    const pen = penOf(canvas.current, wide, tall);
    pen.lineCap = pen.lineJoin = "round";
    lists.forEach((pens, k) => {
      const middle = [(k % columns + 0.5) * cell[0], (Math.floor(k / columns) + 0.5) * cell[1]];
      const at = (px, py) => [middle[0] + (px - x) * scale, middle[1] - (py - y) * scale];
      let tip = null;
      for (const one of pens) if (one[0][2] <= clock.current) tip = ink(pen, one, at, GREEN, Math.min(...cell) / 34, clock.current);
      if (tip && clock.current < lasts(pens)) { pen.fillStyle = isDark() ? "#e6eaee" : "#1d242c"; pen.beginPath(); pen.arc(...at(tip[0], tip[1]), Math.min(...cell) / 34, 0, 7); pen.fill(); }
    });
    canvas.current.dataset.seconds = clock.current.toFixed(2);
  });
  return html`<div class="draw-writing" ref=${place}><canvas ref=${canvas} role="img" aria-label=${`${variants.lists.length} variants writing themselves`}></canvas></div>`;
}

function bestColumns(count, wide, tall) {
  let best = 1, most = 0;
  for (let columns = 1; columns <= count; columns++) {
    const side = Math.min(wide / columns, tall / Math.ceil(count / columns));
    if (side > most) { most = side; best = columns; }
  }
  return best;
}

// Times start at 0, as the server expects.
const fromZero = (boxes) => boxes.filter((pens) => pens.length).map((pens) => { const start = pens[0][0][2]; return pens.map((pen) => pen.map(([x, y, t]) => [x, y, t - start])); });

// Drawings survive leaving the tab and reloading the page. Ctrl+Z removes the last stroke here.
const history = []; // earlier drawings, the newest last
const MOST_STEPS = 50;
function useBoxes() {
  const [boxes, setKept] = useKept("draw boxes", EMPTY);
  const put = (next) => { history.push(boxes); history.splice(0, history.length - MOST_STEPS); setKept(next); };
  const undoStroke = () => { const last = history.pop(); if (last) setKept(last); return Boolean(last); };
  const newest = useRef(undoStroke);
  newest.current = undoStroke;
  useEffect(() => {
    const key = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.key.toLowerCase() !== "z" || event.target.closest?.("input[type=text], input[type=number]")) return;
      if (newest.current()) { event.preventDefault(); event.stopImmediatePropagation(); }
    };
    window.addEventListener("keydown", key, true);
    return () => window.removeEventListener("keydown", key, true);
  }, []);
  return [boxes, put];
}

const NONE = { lists: null, words: "", round: 0 };

// Variants of what is drawn, requested again when anything changes; never two requests at a time.
function useVariants(boxes, asked) {
  const [written, setWritten] = useState(NONE);
  const wanted = useRef(null), busy = useRef(false), seen = useRef({ boxes, round: 0 });
  if (seen.current.boxes !== boxes) seen.current = { boxes, round: seen.current.round + 1 };
  const ask = async () => {
    if (busy.current) return;
    busy.current = true;
    while (wanted.current) {
      const { question, round } = wanted.current;
      wanted.current = null;
      let next;
      try { next = { lists: (await api.post("strokes/variants", question)).variants, words: "", round }; } catch (error) { next = { lists: null, words: error.message, round }; }
      if (!wanted.current && round === seen.current.round) setWritten(next);
    }
    busy.current = false;
  };
  useEffect(() => {
    if (drawn(boxes) < BOXES) { wanted.current = null; setWritten(NONE); return undefined; }
    const wait = setTimeout(() => { wanted.current = { question: { drawings: fromZero(boxes), ...asked }, round: seen.current.round }; ask(); }, written.lists ? 0 : WAIT);
    return () => clearTimeout(wait);
  }, [boxes, JSON.stringify(asked)]);
  return written.lists ? [written, ""] : [null, written.words];
}

const csv = (lists) => ["variant,stroke,second,x,y", ...lists.flatMap((pens, k) => pens.flatMap((pen, s) => pen.map(([x, y, t]) => `${k + 1},${s + 1},${t},${x},${y}`)))].join("\n");
function svg(lists) {
  const { x, y, size } = bounds(lists), columns = 5;
  const path = (pen, k) => pen.map(([px, py], n) => `${n ? "L" : "M"}${((k % columns) * size + px - x + size / 2).toFixed(2)} ${(Math.floor(k / columns) * size - py + y + size / 2).toFixed(2)}`).join("");
  const paths = lists.flatMap((pens, k) => pens.map((pen) => `<path d="${path(pen, k)}"/>`)).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * size} ${Math.ceil(lists.length / columns) * size}" fill="none" stroke="#222" stroke-width="${size / 34}" stroke-linecap="round" stroke-linejoin="round">\n${paths}\n</svg>\n`;
}

function Tab() {
  const [boxes, setBoxes] = useBoxes();
  const [amount, setAmount] = useKept("draw amount", 1), [moving, setMoving] = useState(null);
  const [number, setNumber] = useKept("draw number", 15), [seed, setSeed] = useKept("draw seed", 0);
  const [speed, setSpeed] = useKept("draw speed", 1), [name, setName] = useKept("draw name", "character");
  const asked = { amount: moving ?? amount, number, seed };
  const [variants, words] = useVariants(boxes, asked);
  const change = (k, pens) => setBoxes(boxes.map((old, n) => (n === k ? pens : old)));
  const example = async () => { const written = await api.get("strokes/example"); setBoxes(written.drawings); };
  const keep = async () => {
    const done = await run("draw", [], { drawings: fromZero(boxes), ...asked, name });
    if (!done) return;
    setBoxes(EMPTY);
    await load();
    openMovement(itemOf(done.made[0])?.movement, "vary");
    toast(`${number} variants of ${name} are now a movement of the project.`, "good");
  };
  const left = BOXES - drawn(boxes);
  const side = html`<${Panel} title="Variants">
      <${Slider} label="Amount" value=${amount} min=${0} max=${2} step=${0.05} format=${(x) => x.toFixed(2)} hint="0: the average of your drawings; 1: as different as they are"
        oninput=${setMoving} onchange=${(x) => { setMoving(null); setAmount(x); }} />
      <${NumberField} label="Number" value=${number} min=${1} max=${60} onchange=${setNumber} />
      <${Row}><${Segmented} label="speed of writing" value=${speed} options=${[[0.25, "¼ ×"], [0.5, "½ ×"], [1, "1 ×"], [2, "2 ×"]]} onchange=${setSpeed} />
        <${Button} title="different variants of the same character" onclick=${() => setSeed(seed + 1)} disabled=${!variants}>New variants<//><//>
    <//>
    <${Panel} title="Save">
      <${TextField} label="Name" value=${name} onchange=${(text) => setName(text.trim() || "character")} />
      <${Button} kind="primary" disabled=${!variants} onclick=${keep}>Save to the project<//>
      <${Row}><${Button} disabled=${!variants} onclick=${() => save(`${name}.csv`, csv(variants.lists), "text/csv")}>CSV with timing<//>
        <${Button} disabled=${!variants} onclick=${() => save(`${name}.svg`, svg(variants.lists), "image/svg+xml")}>SVG<//><//>
    <//>
    <${Panel} title="Drawings">
      <${Row}><${Button} onclick=${example}>Show an example<//><${Button} kind="danger" disabled=${left === BOXES} onclick=${() => setBoxes(EMPTY)}>Clear all<//><//>
      <${Note}>Write the same character in each box, in the same way. The timing of your hand is learned too.<//>
    <//>`;
  return html`<${Split} side=${side} label="settings of the variants">
    <div class="draw-boxes">${boxes.map((pens, k) => html`<${Box} key=${k} number=${k} pens=${pens} ghost=${k && !pens.length ? boxes[0] : null} onchange=${(next) => change(k, next)} />`)}</div>
    <div class="stage draw-stage">
      ${variants ? html`<${Writing} variants=${variants} speed=${speed} />` : html`<div class="stage-over">${words
        ? html`<${Note} kind="error">${words}<//>`
        : html`<${Empty} title=${left === BOXES ? "Draw a character four times" : left ? `${left} more to draw` : "Learning your handwriting …"}
            words="With the mouse, a pen or a finger, in the boxes above. Fifteen variants then write themselves here."
          ><${Button} onclick=${example}>Show an example<//><//>`}</div>`}
    </div>
  <//>`;
}

export default { name: "draw", label: "Draw", Tab };
