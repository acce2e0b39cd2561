// Curves: joint angles over time and against one another, the main directions of the motion, durations. A click jumps.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { Button, Empty, ItemList, LinePlot, Note, Panel, PointPlot, Segmented, Select, Split, Viewport } from "../ui.js";
import { useMovement } from "../movements.js";
import { ownOf, toast, useKept, useOwn } from "../state.js";

const KINDS = [["time", "Over time"], ["against", "Two against each other"], ["pca", "Principal components"], ["durations", "Durations"]];
const ABOUT = {
  time: "One value of the body over time. Blue: takes, green: variants. Click a curve to jump to that frame.",
  against: "Two values plotted against each other: cyclic movements form loops, and you see where variants differ.",
  pca: "The whole pose as one point, along the two directions in which poses differ most.",
  durations: "How long each one lasts: natural variants differ in timing, too.",
};
const AXES = { x: "turn x", y: "turn y", z: "turn z" };
const roleOf = (item) => (item.kind === "variant" ? "variant" : "input");
const jointOf = (dof) => (dof.includes(".") ? dof.slice(0, dof.lastIndexOf(".")) : dof);
const partOf = (dof) => (dof.includes(".") ? dof.slice(dof.lastIndexOf(".") + 1) : "");

// The takes that are chosen, or all, and variants.
function firstChoice({ takes, variants }) {
  const ids = ownOf("chosen") ?? [], chosen = takes.filter((item) => ids.includes(item.id));
  return [...(chosen.length ? chosen : takes).slice(0, 6), ...variants.filter((item) => item.star >= 0).slice(0, 15)].map((item) => item.id);
}

// The answer of a route, requested again when the query changes.
function useAnswer(ask, key) {
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    let stale = false;
    if (key === null) { setAnswer(null); return undefined; }
    ask().then((value) => { if (!stale) setAnswer(value); }, (error) => { if (!stale) { setAnswer(null); toast(error.message, "error"); } });
    return () => { stale = true; };
  }, [key]);
  return answer;
}

function DofChoice({ dofs, value, onchange, label }) {
  const joints = useMemo(() => [...new Set(dofs.map(jointOf))], [dofs.join()]);
  const joint = jointOf(value ?? ""), ofJoint = dofs.filter((dof) => jointOf(dof) === joint);
  return html`<${Select} label=${label} value=${joint} options=${joints.map((one) => [one, one])} onchange=${(next) => onchange(dofs.find((dof) => jointOf(dof) === next))} />
    ${ofJoint.length > 1 && html`<${Segmented} label=${`which of ${joint}`} value=${value} options=${ofJoint.map((dof) => [dof, AXES[partOf(dof)] ?? partOf(dof)])} onchange=${onchange} />`}`;
}

// The DOF shown first: a knee if there is one.
const firstDof = (dofs) => dofs.find((dof) => /left(lower)?leg|l_?knee|leftknee|lshin/i.test(dof) && dof.endsWith(".x")) ?? dofs.find((dof) => /leg/i.test(dof)) ?? dofs[0];
const secondDof = (dofs, first) => dofs.find((dof) => /leftupleg|l_?hip|lthigh/i.test(dof) && dof.endsWith(".x")) ?? dofs.find((dof) => dof !== first) ?? dofs[0];

function useSeries(kind, items, dof, against, words) {
  const moving = items.filter((item) => item.kind !== "model"), ids = moving.map((item) => item.id).join(",");
  const stamp = moving.map((item) => `${item.id}${item.trim ?? ""}`).join(",");
  const question = !ids || (kind !== "pca" && kind !== "durations" && !dof) || kind === "durations" ? null : `${kind} ${stamp} ${kind === "pca" ? "" : dof} ${kind === "against" ? against : ""}`;
  const answer = useAnswer(() => (kind === "pca" ? api.get("pca", { items: ids }) : api.get("curves", { items: ids, dof, ...(kind === "against" ? { against } : {}) })), question);
  return useMemo(() => {
    if (kind === "durations") return durations(moving);
    if (!answer) return { series: [] };
    const kindOf = answer.courses ? "pca" : answer.against ? "against" : "time"; // the old answer is shown until the new one arrives
    return kindOf === kind ? seriesOf(answer, kind, items, words) : { series: [] };
  }, [answer, kind, stamp]);
}

function seriesOf(answer, kind, items, words) {
  const series = (answer.curves ?? answer.courses).map((curve) => {
    const first = curve.values ?? curve.components[0], second = curve.against ?? curve.components?.[1] ?? first;
    const seconds = first.map((_, k) => k * curve.frame_time);
    const flat = kind === "time" ? { x: seconds, y: first } : { x: first, y: second };
    return { id: curve.id, name: curve.name, role: curve.role, seconds, ...flat, tip: (k) => `frame ${k} · ${seconds[k].toFixed(2)} s` };
  });
  const share = answer.shares?.map((one) => `${Math.round(100 * one)} % of the motion`) ?? [];
  const [xlabel, ylabel] = { time: ["seconds", words(answer.dof)], against: [words(answer.dof), words(answer.against)], pca: [`first component · ${share[0] ?? ""}`, `second component · ${share[1] ?? ""}`] }[kind];
  return { series, xlabel, ylabel };
}

// A dot per item: its length across, takes below and variants above.
function durations(items) {
  const rows = { input: 0, variant: 1 };
  const series = items.map((item, k) => ({
    id: item.id, name: item.name, role: roleOf(item), seconds: [0], x: [item.facts.seconds ?? 0], y: [rows[roleOf(item)] + 0.25 * Math.sin(k * 2.4)], tip: () => `${(item.facts.seconds ?? 0).toFixed(2)} s`,
  }));
  return { series, xlabel: "seconds", ylabel: "", rows: { 0: "takes", 1: "variants" } };
}

function Tab() {
  const movement = useMovement(), moving = movement.own.filter((item) => ["take", "variant", "strokes"].includes(item.kind));
  const [ids, setIds] = useOwn("curve items", null);
  const [kind, setKind] = useKept("curve kind", "time");
  const [picked, setPicked] = useOwn("curve dof", null);
  const [other, setOther] = useOwn("curve against", null);
  const [seconds, setSeconds] = useState(0);
  const [bold, setBold] = useState(null);
  const viewport = useRef(null), last = useRef(0);
  const chosen = (ids ?? firstChoice(movement)).map((id) => moving.find((item) => item.id === id)).filter(Boolean);
  const names = useAnswer(() => api.get(`dofs/${chosen[0].id}`), chosen[0]?.id ?? null);
  const dofs = (names ?? []).map((one) => one.name);
  const words = (name) => { const one = names?.find((other) => other.name === name); return one ? `${one.words}${one.unit ? ` (${one.unit})` : ""}` : name ?? ""; };
  const dof = dofs.includes(picked) ? picked : dofs.length ? firstDof(dofs) : null;
  const against = dofs.includes(other) ? other : dofs.length ? secondDof(dofs, dof) : null;
  const { series, xlabel, ylabel, rows } = useSeries(kind, chosen, dof, against, words);
  if (!moving.length) return html`<div class="welcome"><${Empty} title="Nothing to draw yet" words="Drop takes of this movement anywhere on the page; their curves are drawn here, next to those of the variants." /></div>`;

  const onframe = (now) => { if (Math.abs(now.seconds - last.current) > 0.03) { last.current = now.seconds; setSeconds(now.seconds); } };
  const jump = ({ series: one, index }) => {
    viewport.current?.pause();
    viewport.current?.seek(one.seconds[index] ?? 0);
    setBold(bold === one.id && kind === "durations" ? null : one.id);
  };
  const marks = kind === "against" || kind === "pca" ? series.map((one) => {
    const at = one.seconds.findIndex((when) => when >= seconds - 1e-6), k = at < 0 ? one.seconds.length - 1 : at;
    return { x: one.x[k], y: one.y[k], role: one.role };
  }) : [];
  const side = html`<${Panel} title="Curves">
      <${Select} label="Show" value=${kind} options=${KINDS} onchange=${setKind} />
      <${Note}>${ABOUT[kind]}<//>
      ${["time", "against"].includes(kind) && dofs.length > 0 && html`<${DofChoice} label="Joint" dofs=${dofs} value=${dof} onchange=${setPicked} />`}
      ${kind === "against" && dofs.length > 0 && html`<${DofChoice} label="against" dofs=${dofs} value=${against} onchange=${setOther} />`}
    <//>
    <${Panel} title=${`${chosen.length} shown`} actions=${html`<${Button} kind="quiet" title="show the selected takes and their variants" onclick=${() => { setIds(null); setBold(null); }}>reset<//>`}>
      <${ItemList} items=${moving} chosen=${chosen.map((item) => item.id)} onchoose=${setIds} small thumbs=${false} label="whose curves" /><//>`;
  const plot = kind === "time" ? html`<${LinePlot} series=${series} xlabel=${xlabel} ylabel=${ylabel} cursor=${seconds} lowX=${0} bold=${bold} onpick=${jump} />`
    : html`<${PointPlot} series=${series} xlabel=${xlabel} ylabel=${ylabel} marks=${marks} rows=${rows} bold=${bold} equal=${kind === "pca"} joined=${kind !== "durations"} dots=${kind === "durations"} onpick=${jump} />`;
  return html`<${Split} label="curves" side=${side}>
    <div class="halves">${plot}
      <${Viewport} items=${chosen.map((item) => item.id)} start=${{ layout: "overlaid", names: false, plan: false }} onready=${(made) => { viewport.current = made; }} onframe=${onframe} onpick=${(id) => setBold(id)}
        empty=${html`<${Note}>Choose takes or variants on the left.<//>`} /></div>
  <//>`;
}

export default { name: "curves", label: "Curves", Tab, kinds: ["body", "stroke", "markers"] };
