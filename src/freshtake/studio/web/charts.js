// Plots drawn on a canvas: lines over time and points in a plane. Hovering shows the nearest point, a click picks it.
//   <LinePlot series=[{ id, name, role, x: [...], y: [...] }] xlabel ylabel cursor=(seconds or null) onhover onpick height>
//   <PointPlot> the same, with points joined in order;  onpick({ series, index, x, y })
// `marks` [{ x, y, role }] are dots that move with the playback; `bold` is the id of a series that stands out;
// `rows` { 0: "takes", ... } labels heights with names instead of numbers; `series[k].tip(index)` is shown below the name on hover.

import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact-htm.module.js";
import { useDark } from "./state.js";

export const ROLE_COLORS = { input: "#3b82d6", variant: "#35a264", extra: "#d9534f" };
const MARGIN = { left: 52, right: 14, top: 12, bottom: 34 };

export function ticks(low, high, about = 6) {
  const span = high - low || 1, rough = span / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => span / one <= about) ?? power * 10;
  const out = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) out.push(Math.abs(at) < step * 1e-6 ? 0 : at);
  return out;
}

const digits = (value) => String(Number(value.toPrecision(4)));

function extent(series, field) {
  let low = Infinity, high = -Infinity;
  for (const one of series) for (const value of one[field]) if (Number.isFinite(value)) { if (value < low) low = value; if (value > high) high = value; }
  if (low > high) return [0, 1];
  const pad = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - pad, high + pad];
}

function Plot({ series, xlabel, ylabel, cursor, onhover, onpick, joined = true, equal = false, label, dots = false, lowX, bold, marks = [], rows }) {
  const canvas = useRef(null), box = useRef(null);
  const [size, setSize] = useState([0, 0]);
  const [near, setNear] = useState(null);
  const dark = useDark();
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setSize([Math.round(entry.contentRect.width), Math.round(entry.contentRect.height)]));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => { setNear(null); }, [series]);
  const [wide, tall] = size;
  const place = useMemo(() => (wide && tall ? scales(series, wide, tall, equal, lowX) : null), [series, size, equal, lowX]);
  useEffect(() => {
    if (place) draw(canvas.current, place, { series, wide, tall, dark, joined, dots, xlabel, ylabel, bold, rows });
  }, [place, dark, joined, dots, xlabel, ylabel, bold]);

  const nearest = (event) => {
    const at = canvas.current.getBoundingClientRect();
    return find(series, place, event.clientX - at.left, event.clientY - at.top);
  };
  const over = (event) => { const point = place && nearest(event); setNear(point); onhover?.(point); };
  const line = place && cursor !== null && cursor !== undefined && cursor >= place.x.low && cursor <= place.x.high ? place.x.to(cursor) : null;
  return html`<div class="plot" ref=${box} data-series=${series.length} role="img" aria-label=${label ?? `${ylabel} over ${xlabel}`}>
    <canvas ref=${canvas} onPointerMove=${over} onPointerLeave=${() => { setNear(null); onhover?.(null); }} onClick=${(event) => { const point = nearest(event); if (point) onpick?.(point); }}></canvas>
    ${line !== null && html`<i class="plot-cursor" style=${{ left: `${line}px`, top: `${MARGIN.top}px`, height: `${tall - MARGIN.top - MARGIN.bottom}px` }}></i>`}
    ${place && marks.map((one) => html`<i class="plot-dot" style=${{ left: `${place.x.to(one.x)}px`, top: `${place.y.to(one.y)}px`, background: ROLE_COLORS[one.role] }}></i>`)}
    ${near && html`<i class="plot-dot near" style=${{ left: `${place.x.to(near.x)}px`, top: `${place.y.to(near.y)}px`, background: ROLE_COLORS[near.series.role] }}></i>`}
    ${near && html`<div class="plot-tip" style=${{ left: `${Math.min(place.x.to(near.x) + 10, wide - 190)}px`, top: `${Math.max(place.y.to(near.y) - 46, 4)}px` }}>
      <b>${near.series.name}</b><span>${near.series.tip ? near.series.tip(near.index) : `frame ${near.index} · ${digits(near.x)}, ${digits(near.y)}`}</span></div>`}
  </div>`;
}

export const LinePlot = (props) => html`<${Plot} ...${props} />`;
export const PointPlot = (props) => html`<${Plot} cursor=${null} ...${props} />`;

function scales(series, wide, tall, equal, lowX) {
  let [left, right] = extent(series, "x"), [low, high] = extent(series, "y");
  if (lowX !== undefined) left = lowX;
  const across = wide - MARGIN.left - MARGIN.right, up = tall - MARGIN.top - MARGIN.bottom;
  if (equal) { // equal scales on both axes
    const unit = Math.max((right - left) / across, (high - low) / up);
    const [middleX, middleY] = [(left + right) / 2, (low + high) / 2];
    [left, right, low, high] = [middleX - (unit * across) / 2, middleX + (unit * across) / 2, middleY - (unit * up) / 2, middleY + (unit * up) / 2];
  }
  return {
    x: { low: left, high: right, to: (value) => MARGIN.left + ((value - left) / (right - left)) * across },
    y: { low, high, to: (value) => MARGIN.top + (1 - (value - low) / (high - low)) * up },
  };
}

function draw(canvas, { x, y }, { series, wide, tall, dark, joined, dots, xlabel, ylabel, bold, rows }) {
  const ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
  canvas.width = wide * ratio;
  canvas.height = tall * ratio;
  Object.assign(canvas.style, { width: `${wide}px`, height: `${tall}px` });
  pen.scale(ratio, ratio);
  const ink = dark ? "#98a2ad" : "#5c6670", rule = dark ? "#2b333c" : "#e3e7ec";
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = ink;
  pen.strokeStyle = rule;
  pen.lineWidth = 1;
  pen.textAlign = "center";
  for (const at of ticks(x.low, x.high, Math.max(3, wide / 90))) {
    const px = Math.round(x.to(at)) + 0.5;
    if (px < MARGIN.left) continue;
    pen.beginPath(); pen.moveTo(px, MARGIN.top); pen.lineTo(px, tall - MARGIN.bottom); pen.stroke();
    pen.fillText(digits(at), px, tall - MARGIN.bottom + 14);
  }
  pen.textAlign = "right";
  for (const at of rows ? Object.keys(rows).map(Number) : ticks(y.low, y.high, Math.max(3, tall / 50))) {
    const py = Math.round(y.to(at)) + 0.5;
    pen.beginPath(); pen.moveTo(MARGIN.left, py); pen.lineTo(wide - MARGIN.right, py); pen.stroke();
    pen.fillText(rows?.[at] ?? digits(at), MARGIN.left - 6, py + 4);
  }
  pen.textAlign = "center";
  pen.fillText(xlabel ?? "", MARGIN.left + (wide - MARGIN.left - MARGIN.right) / 2, tall - 5);
  pen.save();
  pen.translate(12, MARGIN.top + (tall - MARGIN.top - MARGIN.bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(ylabel ?? "", 0, 0);
  pen.restore();
  pen.lineJoin = "round";
  pen.beginPath();
  pen.rect(MARGIN.left, MARGIN.top, wide - MARGIN.left - MARGIN.right, tall - MARGIN.top - MARGIN.bottom);
  pen.clip();
  const last = (one) => (one.id === bold ? 2 : one.role === "input" ? 1 : 0); // takes are drawn over variants
  for (const one of [...series].sort((a, b) => last(a) - last(b))) paint(pen, one, x, y, { joined, dots, bold });
}

function paint(pen, one, x, y, { joined, dots, bold }) {
  const color = one.color ?? ROLE_COLORS[one.role] ?? ROLE_COLORS.input;
  pen.strokeStyle = pen.fillStyle = color;
  pen.globalAlpha = bold && bold !== one.id ? 0.25 : 0.85;
  pen.lineWidth = bold === one.id ? 3 : one.role === "input" ? 1.9 : 1.3;
  if (joined) {
    let down = false;
    pen.beginPath();
    for (let k = 0; k < one.x.length; k++) {
      if (!Number.isFinite(one.y[k])) { down = false; continue; }
      pen[down ? "lineTo" : "moveTo"](x.to(one.x[k]), y.to(one.y[k]));
      down = true;
    }
    pen.stroke();
  }
  if (dots || !joined) for (let k = 0; k < one.x.length; k++) { pen.beginPath(); pen.arc(x.to(one.x[k]), y.to(one.y[k]), dots ? 5 : 2, 0, 7); pen.fill(); }
  pen.globalAlpha = 1;
}

// The point nearest to a position on the canvas, at most 40 pixels away.
function find(series, { x, y }, px, py) {
  let best = null, least = 40 ** 2;
  for (const one of series) {
    for (let k = 0; k < one.x.length; k++) {
      const away = (x.to(one.x[k]) - px) ** 2 + (y.to(one.y[k]) - py) ** 2;
      if (away < least) { least = away; best = { series: one, index: k, x: one.x[k], y: one.y[k] }; }
    }
  }
  return best;
}
