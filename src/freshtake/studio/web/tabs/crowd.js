// Crowd: groups are placed on a plan from above, given paths and counts, previewed, and exported for film and farms.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { Button, Empty, Note, NumberField, Panel, Row, Segmented, Select, Slider, Split, TextField, Toggle, Viewport, download, useJobs, Progress } from "../ui.js";
import { isOver, keepPreset, remove, run, state, toast, useKept, useStore } from "../state.js";
import { learned, movementOf } from "../movements.js";
import { api } from "../api.js";

const FORMATS = { usd: "USD (a stage)", npz: "NumPy arrays", bvh: "BVH files", zarr: "Zarr" };
const ENGINES = { local: "This computer", dask: "Dask workers", openjd: "OpenJD farm", flamenco: "Flamenco farm" };
const MOST = 1000;
const COLORS = ["var(--variant)", "var(--input)", "var(--bad)"]; // as in the preview
const START = { groups: [], seconds: 4, seed: 0, avoid: true };
const round = (value) => Math.round(value * 10) / 10;
// Random positions in a disc with a minimum distance fill about this fraction of the densest packing.
const radiusOf = ({ count, spacing }) => Math.max(0.6, spacing * Math.sqrt(count / Math.PI) * 1.05);
const originOf = (group) => (group.path.length > 1 ? group.path[0] : group.center);

const bodiesOf = (items) => items.filter((item) => item.kind === "movement" && item.facts.what === "body").map((item) => movementOf(items, item.id)).filter((one) => one.examples.length || one.model);

// The plan belongs to the project: every window shows the same one. Presets are plain values, so it is stored as text.
const planOf = (presets) => { try { return { ...START, ...JSON.parse(presets.crowd.plan) }; } catch { return START; } };
function usePlan() {
  const text = useStore((now) => now.presets.crowd?.plan), plan = useMemo(() => planOf(state.presets), [text]);
  return [plan, (changes) => keepPreset("crowd", { plan: JSON.stringify({ ...planOf(state.presets), ...changes }) })];
}

// ---- the plan from above: x to the right, z down, so a heading of 0 faces us ----
function extentOf(groups) {
  const points = groups.flatMap((group) => { const [x, z] = originOf(group), r = radiusOf(group); return [[x - r, z - r], [x + r, z + r], ...group.path]; });
  const xs = points.map(([x]) => x), zs = points.map(([, z]) => z), pad = 4;
  const left = Math.min(-8, ...xs) - pad, right = Math.max(8, ...xs) + pad, top = Math.min(-6, ...zs) - pad, bottom = Math.max(6, ...zs) + pad;
  return [left, top, right - left, bottom - top];
}

function Plan({ groups, chosen, choose, put, drawing }) {
  const svg = useRef(null), [moving, setMoving] = useState(null), [view, setView] = useState(extentOf(groups));
  useEffect(() => { if (!moving) setView(extentOf(groups)); }, [JSON.stringify(groups), moving]); // the view stays fixed while dragging
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.current.getScreenCTM().inverse());
    return [round(point.x), round(point.y)];
  };
  const shifted = (group, dx, dz) => ({ center: [round(group.center[0] + dx), round(group.center[1] + dz)], path: group.path.map(([x, z]) => [round(x + dx), round(z + dz)]) });
  const grab = (event, k, point) => {
    if (drawing && point === null) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    choose(k);
    setMoving({ k, point, from: at(event) });
  };
  const drag = (event) => {
    if (!moving) return;
    const now = at(event), group = groups[moving.k];
    if (moving.point !== null) put(moving.k, { path: group.path.map((one, j) => (j === moving.point ? now : one)) });
    else put(moving.k, shifted(group, now[0] - moving.from[0], now[1] - moving.from[1]));
    setMoving({ ...moving, from: now });
  };
  const press = (event) => { if (drawing && chosen !== null) put(chosen, { path: [...(groups[chosen].path.length ? groups[chosen].path : [groups[chosen].center]), at(event)].slice(0, 50) }); };
  const key = (event, k) => {
    const by = { ArrowLeft: [-0.5, 0], ArrowRight: [0.5, 0], ArrowUp: [0, -0.5], ArrowDown: [0, 0.5] }[event.key];
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(k); }
    if (!by) return;
    event.preventDefault();
    choose(k);
    put(k, shifted(groups[k], ...by));
  };
  const [left, top, wide, tall] = view, step = wide > 60 ? 10 : wide > 30 ? 5 : 2;
  const lines = (from, size) => Array.from({ length: Math.floor((from + size) / step) - Math.ceil(from / step) + 1 }, (_, k) => (Math.ceil(from / step) + k) * step);
  return html`<svg class="crowd-plan own-keys ${drawing ? "drawing" : ""}" ref=${svg} viewBox=${view.join(" ")} role="group" aria-label="plan from above, in metres" onPointerDown=${press} onPointerMove=${drag} onPointerUp=${() => setMoving(null)} onPointerCancel=${() => setMoving(null)}>
    <g class="grid" aria-hidden="true">${lines(left - wide, 3 * wide).map((x) => html`<line x1=${x} x2=${x} y1=${top - tall} y2=${top + 2 * tall} />`)}${lines(top - tall, 3 * tall).map((z) => html`<line x1=${left - wide} x2=${left + 2 * wide} y1=${z} y2=${z} />`)}
      <text x=${left + wide * 0.015} y=${top + tall - wide * 0.015} font-size=${wide * 0.022}>squares of ${step} m</text></g>
    ${groups.map((group, k) => {
      const [x, z] = originOf(group), r = radiusOf(group), angle = ((group.heading ?? 0) * Math.PI) / 180, tip = [x + Math.sin(angle) * (r + 1.5), z + Math.cos(angle) * (r + 1.5)];
      return html`<g key=${k} style=${{ color: COLORS[k % COLORS.length] }} class=${k === chosen ? "chosen" : ""}>
        ${group.path.length > 1 && html`<polyline points=${group.path.map((one) => one.join(",")).join(" ")} />${group.path.slice(1).map((one, j) => html`<circle class="bend" cx=${one[0]} cy=${one[1]} r=${wide * 0.009} onPointerDown=${(event) => grab(event, k, j + 1)} />`)}`}
        ${group.path.length < 2 && group.heading !== null && html`<line class="facing" x1=${x} y1=${z} x2=${tip[0]} y2=${tip[1]} />`}
        <circle class="crowd-group" cx=${x} cy=${z} r=${r} tabindex="0" role="button" aria-pressed=${String(k === chosen)} aria-label=${`${group.name}, ${group.count} characters around ${x}, ${z} m; arrow keys move it`}
          onPointerDown=${(event) => grab(event, k, null)} onKeyDown=${(event) => key(event, k)} />
        <text x=${x} y=${z} font-size=${wide * 0.026} text-anchor="middle" dominant-baseline="middle" aria-hidden="true">${group.name} · ${group.count}</text></g>`; })}
  </svg>`;
}

// ---- one group ----
function GroupPanel({ group, put, drop, drawing, setDrawing, bodies }) {
  const names = bodies.map((one) => [one.id, one.item.name]);
  return html`<${Panel} title=${`Group: ${group.name}`} name="crowd group" actions=${html`<${Button} kind="quiet" onclick=${drop}>remove<//>`}>
    <${Select} label="Movement" value=${group.movement} options=${names} onchange=${(id) => put({ movement: id, name: bodies.find((one) => one.id === id).item.name })} />
    <${NumberField} label="How many" value=${group.count} min=${1} max=${MOST} onchange=${(value) => put({ count: Math.round(value) })} />
    <${NumberField} label="Metres apart" value=${group.spacing} min=${0.4} max=${50} step=${0.1} onchange=${(value) => put({ spacing: value })} hint="neighbours are never closer" />
    <${Slider} label="Amount" value=${group.amount} min=${0} max=${2} step=${0.05} format=${(x) => x.toFixed(2)} hint="how differently they move; 1: like the takes" onchange=${(value) => put({ amount: value })} />
    <${Slider} label="Sizes" value=${group.size_range} min=${0} max=${0.3} step=${0.01} format=${(x) => (x ? `± ${Math.round(100 * x)} %` : "all the same")} onchange=${(value) => put({ size_range: value })} />
    ${group.path.length > 1 ? html`<${Note}>They follow the path of ${group.path.length} points.<//>`
      : html`<${Select} label="Facing" value=${group.heading === null ? "" : "one"} options=${[["", "every direction"], ["one", "one direction"]]} onchange=${(value) => put({ heading: value ? 0 : null })} />
        ${group.heading !== null && html`<${Slider} label="Direction" value=${group.heading} min=${-180} max=${180} step=${5} format=${(x) => `${x}°`} oninput=${(value) => put({ heading: value })} onchange=${(value) => put({ heading: value })} />`}`}
    <${Row}><${Button} pressed=${drawing} onclick=${() => setDrawing(!drawing)} title="click on the plan: each click adds a point">${drawing ? "Path is done" : "Draw a path"}<//>
      ${group.path.length > 0 && html`<${Button} kind="quiet" onclick=${() => put({ path: [] })}>No path<//>`}<//>
  <//>`;
}

const madeWords = ({ facts }) => [facts.format && facts.format.toUpperCase(), facts.parts && `${facts.parts} parts`, facts.bytes && `${(facts.bytes / 1e6).toFixed(1)} MB`].filter(Boolean).join(" · ") || "to look at";

function Made({ crowds, shown, show }) {
  if (!crowds.length) return html`<${Panel} title="Crowds"><${Note}>What you make appears here.<//><//>`;
  return html`<${Panel} title="Crowds" fill><ul class="items scroll">${[...crowds].reverse().map((item) => html`<li key=${item.id} class=${`item ${item.id === shown ? "chosen" : ""}`}>
    <button type="button" class="item-name" disabled=${!item.facts.scene} onclick=${() => show(item.id)}><span class="item-words"><b>${item.name}</b><span class="facts">${madeWords(item)}</span></span></button>
    ${item.facts.file && html`<${Button} kind="quiet" label=${`download ${item.facts.file}`} onclick=${() => download(item.id)}>↓<//>`}
    <${Button} kind="quiet" label=${`remove ${item.name}`} onclick=${() => remove([item.id])}>✕<//></li>`)}</ul><//>`;
}

// The options of this installation, requested once.
let offered = null;
function useOffered() {
  const [known, setKnown] = useState(offered);
  useEffect(() => { if (!offered) Promise.all([api.get("crowd/formats"), api.get("crowd/engines")]).then((lists) => { offered = lists; setKnown(lists); }, () => {}); }, []);
  return known ?? [[], []];
}

function Tab() {
  const items = useStore((now) => now.items), bodies = useMemo(() => bodiesOf(items), [items]);
  const [plan, change] = usePlan(), [mode, setMode] = useKept("crowd mode", "plan"), [shown, setShown] = useKept("crowd shown", null);
  const [chosen, choose] = useState(plan.groups.length ? 0 : null), [drawing, setDrawing] = useState(false), [preparing, setPreparing] = useState(false);
  const [formats, engines] = useOffered(), [format, setFormat] = useKept("crowd format", null), [engine, setEngine] = useKept("crowd engine", "local");
  const [scheduler, setScheduler] = useKept("crowd scheduler", ""), [shared, setShared] = useKept("crowd shared", "/shared/crowd");
  const jobs = useJobs("crowd"), crowds = items.filter((item) => item.kind === "crowd");
  const groups = plan.groups.filter((group) => bodies.some((one) => one.id === group.movement)), total = groups.reduce((sum, group) => sum + group.count, 0);
  const put = (k, changes) => change({ groups: groups.map((group, other) => (other === k ? { ...group, ...changes } : group)) });
  const add = () => {
    const body = bodies.find((one) => !groups.some((group) => group.movement === one.id)) ?? bodies[0], far = Math.max(0, ...groups.map((group) => originOf(group)[0] + radiusOf(group)));
    change({ groups: [...groups, { movement: body.id, name: body.item.name, count: 20, amount: 1, size_range: 0.05, spacing: 1.5, center: [groups.length ? round(far + 5) : 0, 0], heading: groups.length ? null : 0, path: [] }] });
    choose(groups.length);
    setMode("plan");
  };
  const scene = useMemo(() => {
    const item = crowds.find((one) => one.id === shown);
    return item?.facts.scene ? api.crowd(item.id) : null;
  }, [shown, crowds.some((one) => one.id === shown)]);
  const make = async (files) => {
    setPreparing(true);
    const ready = [];
    for (const group of groups) { // missing models are learned first
      const model = await learned(movementOf(state.items, group.movement));
      if (!model) { setPreparing(false); return; }
      const { movement, ...rest } = group;
      ready.push({ ...rest, model: model.id });
    }
    setPreparing(false);
    const wanted = files ? { format: format ?? formats[0], engine, scheduler: scheduler || null, shared } : {};
    const done = await run("crowd", [], { groups: ready, seconds: plan.seconds, seed: plan.seed, avoid: plan.avoid, ...wanted });
    if (!done) return;
    const made = state.items.find((item) => item.id === done.made[0]);
    if (files) { done.made.forEach(download); toast(engine === "local" || engine === "dask" ? "The crowd is exported." : "The job is exported: unpack it where all machines of the farm can find it.", "good"); }
    if (!made || made.facts.scene) { setShown(done.made[0]); setMode("look"); }
  };
  if (!bodies.length) return html`<div class="welcome"><${Empty} title="No bodies yet" words="A crowd is made of movements of bodies: drop a walk or a cheer, then place groups of it here." /></div>`;
  const busy = preparing || jobs.some((job) => !isOver(job)), group = chosen !== null ? groups[chosen] : null;
  const side = html`<${Panel} title="Crowd">
      <${Row}><${NumberField} label="Seconds" value=${plan.seconds} min=${0.5} max=${60} step=${0.5} onchange=${(value) => change({ seconds: value })} /><//>
      <${Row}><${NumberField} label="Seed" value=${plan.seed} min=${0} max=${2 ** 31} onchange=${(value) => change({ seed: Math.round(value) })} hint="the same seed gives the same crowd" /><//>
      <${Toggle} label="Walk around each other" value=${plan.avoid} onchange=${(value) => change({ avoid: value })} />
      <${Button} onclick=${add} disabled=${groups.length >= 20}>Add a group<//><//>
    ${group && html`<${GroupPanel} key=${chosen} group=${group} put=${(changes) => put(chosen, changes)} drop=${() => { change({ groups: groups.filter((_, k) => k !== chosen) }); choose(groups.length > 1 ? 0 : null); setDrawing(false); }} drawing=${drawing} setDrawing=${setDrawing} bodies=${bodies} />`}
    ${total > MOST && html`<${Note} kind="warn">${total} characters are too many for the page: ${MOST} at most. The command line makes larger crowds.<//>`}
    ${jobs.map((job) => html`<${Progress} key=${job.id} job=${job} />`)}
    <div class="sticky-do"><${Button} kind="primary wide" busy=${busy} disabled=${!groups.length || total > MOST} onclick=${() => make(false)}>Preview ${total || ""} characters<//></div>`;
  const farm = ["openjd", "flamenco"].includes(engine);
  const end = html`<${Made} crowds=${crowds} shown=${shown} show=${(id) => { setShown(id); setMode("look"); }} />
    <${Panel} title="Export">
      <${Select} label="Made on" value=${engine} options=${engines.map((name) => [name, ENGINES[name]])} onchange=${setEngine} />
      ${engine === "dask" && html`<${TextField} label="Scheduler" value=${scheduler} placeholder="this computer" onchange=${setScheduler} hint="such as tcp://10.0.0.1:8786" />`}
      ${engine === "flamenco" && html`<${TextField} label="Shared folder" value=${shared} onchange=${setShared} hint="where the machines of the farm see the unpacked files" />`}
      <${Select} label="Format" value=${format ?? formats[0]} options=${formats.map((name) => [name, FORMATS[name]])} onchange=${setFormat} />
      <${Button} kind="primary" busy=${busy} disabled=${!groups.length || total > MOST} onclick=${() => make(true)}>${farm ? "Export the job" : `Export ${total || ""} characters`}<//><//>`;
  return html`<${Split} label="crowd" side=${side} end=${end}>
    <div class="crowd-modes"><${Segmented} label="what is shown" value=${mode} onchange=${setMode} options=${[["plan", "Plan"], ["look", "Preview"]]} />
      ${mode === "plan" && groups.length > 0 && html`<${Note}>${drawing ? "Click where the path continues." : "Drag groups and the bends of their paths."}<//>`}</div>
    ${mode === "plan" ? html`<div class="stage">${groups.length ? html`<${Plan} groups=${groups} chosen=${chosen} choose=${choose} put=${put} drawing=${drawing} />`
        : html`<div class="stage-over"><${Empty} title="Place a crowd" words="Add a group, drag it into place, give it a path if it should walk along one, and press Preview."><${Button} kind="primary" onclick=${add}>Add a group<//><//></div>`}</div>`
      : html`<${Viewport} key=${shown} scene=${scene} label="the crowd" empty=${html`<${Empty} title="Nothing to see yet" words="Press Preview to make the crowd and watch it here." />`} />`}
  <//>`;
}

const hasBodies = (items) => items.some((item) => item.kind === "movement" && item.facts.what === "body");
export default { name: "crowd", label: "Crowd", Tab, shows: ["crowd"], when: hasBodies };
