// Variants next to noise and cycle animation, with names hidden on request; and the evaluation in figures.

import { html, useEffect, useMemo, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { useMovement } from "../movements.js";
import { TakePicker, useMotions } from "../picking.js";
import { itemOf, useKept, useOwn } from "../state.js";
import { Button, Empty, Note, NumberField, Panel, Row, Segmented, Select, Split, TaskButton, Toggle, Viewport } from "../ui.js";

const KINDS = [["strawman", "Noise on every joint"], ["perlin", "Perlin noise"], ["pca", "Noise on principal components"], ["convex", "Mixtures of the takes"], ["replay", "Cycle animation (the takes replayed)"]];
const ONE = { variant: "variant", take: "take" };
const WORDS = { variant: "variants", take: "takes", ...Object.fromEntries(KINDS.map(([kind, words]) => [kind, words.toLowerCase().replace(/ \(.*/, "")])) };
const kindOf = (item) => (item.facts.baseline ? item.facts.method : item.kind);
const MOST = 12;

function shuffled(list) {
  const out = [...list];
  for (let k = out.length - 1; k > 0; k--) { const other = Math.floor(Math.random() * (k + 1)); [out[k], out[other]] = [out[other], out[k]]; }
  return out;
}

// The scene of items, with baselines in red; or, for a blind test, in random order, with letters as names, in one color.
async function comparedScene(ids, baselines) {
  const data = await api.scene(ids);
  data.manifest.shapes.forEach((shape, k) => { if (baselines.has(ids[k])) shape.role = "extra"; });
  if (baselines.size) data.manifest.legend = { extra: `${baselines.size} baselines` };
  return data;
}
async function blindScene(ids) {
  const data = await api.scene(ids);
  data.manifest.shapes.forEach((shape, k) => { shape.name = letter(k); shape.role = "input"; });
  data.manifest.legend = { input: "which looks real?" };
  return data;
}
const letter = (k) => String.fromCharCode(65 + k);

function Noise({ takes, variants, onmade }) {
  const [kind, setKind] = useKept("noise kind", "strawman"), [number, setNumber] = useKept("noise number", 4);
  return html`<${Panel} title="Make baselines" open=${true}>
    <${Select} label="Kind" value=${kind} options=${KINDS} onchange=${setKind} />
    <${NumberField} label="Number" value=${number} min=${1} max=${60} onchange=${setNumber} />
    <${TaskButton} task="noise" items=${takes} settings=${{ kind, number, matched: variants }} words="Make from the takes" disabled=${!takes.length} title=${takes.length ? "" : "choose takes"} ondone=${onmade} />
    <${Note}>Noise changes the takes as much as the chosen variants differ from them.<//>
  <//>`;
}

const shortly = (value) => (value === null || value === undefined ? "–" : Math.abs(value) < 1e-6 ? "0" : Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString());
// A sentence on how many figures are like those of real takes, and which are not.
function counted(figures) {
  const judged = figures.filter((one) => one.verdict), odd = judged.filter((one) => one.verdict !== "good").map((one) => one.title.toLowerCase());
  if (!odd.length) return `All ${judged.length} figures are like those of real takes.`;
  return `${judged.length - odd.length} of ${judged.length} figures are like those of real takes; look at ${odd.slice(0, 3).join(", ")}${odd.length > 3 ? ` and ${odd.length - 3} more` : ""}.`;
}

// The variants with findings, by name.
function remarked(report) {
  const some = (report.settings.variants ?? []).map(itemOf).filter((item) => item?.findings.length);
  if (!some.length) return "The checks of bodies, feet and speeds found nothing wrong with any of the variants.";
  return `Look at ${some.slice(0, 4).map((item) => `${item.name} (${item.findings[0].words})`).join(", ")}${some.length > 4 ? ` and ${some.length - 4} more` : ""} first.`;
}

function Figures({ report }) {
  const { figures, baselines, usable, verdict } = report.facts, groups = [...new Set(figures.map((one) => one.group))];
  return html`<div class="below figures-box"><p class=${`verdict ${usable ? "good" : "look"}`} role="status">${verdict}</p>
    <p class="note">${counted(figures)}</p><p class="note">${remarked(report)}</p>
    <${Row}><${Button} href=${`/api/reports/${report.id}`} title="in a new tab"><span>Open the full report</span><//><${Note}>${report.facts.variants} variants, compared with ${report.facts.inputs} takes.<//><//>
    <details class="figures-fold"><summary>All figures</summary><div class="table-box" tabindex="0" role="region" aria-label="all figures"><table class="table"><thead><tr><th scope="col">Figure</th><th scope="col" class="num">variants</th><th scope="col" class="num">real takes</th>
      ${baselines.map((name) => html`<th key=${name} scope="col" class="num">${WORDS[name] ?? name}</th>`)}<th scope="col"></th></tr></thead>
      <tbody>${groups.map((group) => html`<tr class="group" key=${group}><th colspan=${4 + baselines.length} scope="rowgroup">${group}</th></tr>${figures.filter((one) => one.group === group).map((one) => html`<tr key=${one.key}>
        <td>${one.title}${one.unit ? html` <span class="facts">${one.unit === "x" ? "×" : one.unit}</span>` : ""}</td><td class="num">${shortly(one.value)}</td>
        <td class="num">${one.real[0] === null ? "–" : `${shortly(one.real[0])} … ${shortly(one.real[1])}`}</td>
        ${baselines.map((name) => html`<td key=${name} class="num">${shortly(one.baselines[name])}</td>`)}
        <td class=${one.verdict === "good" ? "mark good" : one.verdict ? "mark look" : ""}>${one.verdict === "good" ? "like real takes" : one.verdict ? `${one.verdict} real takes` : ""}</td></tr>`)}`)}</tbody></table></div></details></div>`;
}

function Tab() {
  const movement = useMovement(), items = movement.own, motions = useMotions();
  const takes = motions.filter((item) => item.kind === "take"), made = motions.filter((item) => item.kind === "variant" && !item.facts.baseline), noise = motions.filter((item) => item.facts.baseline);
  const reports = items.filter((item) => item.facts.what === "evaluation");
  const [pick, setPick] = useOwn("compare picked", { takes: takes.slice(0, 3).map((item) => item.id), variants: made.slice(0, 3).map((item) => item.id), noise: [] });
  const put = (name) => (ids) => { setPick({ ...pick, [name]: ids }); setRound(null); };
  const known = new Set(items.map((item) => item.id)), of = (name) => (pick[name] ?? []).filter((id) => known.has(id));
  const all = [...of("takes"), ...of("variants"), ...of("noise")], chosen = all.slice(0, MOST);
  const [view, setView] = useKept("compare view", "motion"), [blind, setBlind] = useKept("compare blind", false);
  const [round, setRound] = useState(null), [baselines, setBaselines] = useKept("compare baselines", true);
  const key = chosen.join(",");
  useEffect(() => { setRound(blind && chosen.length > 1 ? { order: shuffled(chosen), voted: null } : null); }, [blind, key]);
  const hidden = round && round.voted === null;
  const scene = useMemo(() => {
    if (!chosen.length) return null;
    return hidden ? blindScene(round.order) : comparedScene(round ? round.order : chosen, new Set(of("noise").filter((id) => chosen.includes(id))));
  }, [round?.order, hidden, key]);
  const vote = (id) => setRound({ ...round, voted: id ?? "none" });
  const name = (id) => { const item = items.find((one) => one.id === id); return item ? `${item.name} (${ONE[kindOf(item)] ?? WORDS[kindOf(item)] ?? kindOf(item)})` : id; };
  const side = html`<${Panel} title="Shown">
      <${TakePicker} label="Takes" items=${takes} ids=${of("takes")} onchange=${put("takes")} />
      <${TakePicker} label="Variants" items=${made} ids=${of("variants")} onchange=${put("variants")} empty="Make some in Vary." />
      <${TakePicker} label="Baselines" items=${noise} ids=${of("noise")} onchange=${put("noise")} empty="Make some below." />
      ${all.length > MOST && html`<${Note} kind="warn">Only the first ${MOST} of ${all.length} are shown.<//>`}
      <${Toggle} label="Hide names until you vote" value=${blind} onchange=${setBlind} hint="in random order and one color" />
    <//>
    <${Noise} takes=${of("takes").length ? of("takes") : takes.map((item) => item.id)} variants=${of("variants")} onmade=${(job) => { put("noise")([...of("noise"), ...job.made]); }} />
    <${Panel} title="Evaluate" open=${true}>
      <${Toggle} label="Include noise and cycle animation" value=${baselines} onchange=${setBaselines} />
      <${TaskButton} task="evaluate" items=${of("variants")} settings=${{ inputs: of("takes"), baselines: baselines ? ["strawman", "replay"] : [], name: "evaluation" }} words="Evaluate the variants" ondone=${() => setView("figures")}
        disabled=${!of("variants").length || of("takes").length < 2} title="choose at least two takes and one variant" />
    <//>`;
  const report = reports[reports.length - 1];
  const words = html`<${Empty} title="Choose what to compare" words="Choose takes, variants and baselines on the left to see them in one viewport. Hide their names to judge which look real before you know what they are." />`;
  return html`<${Split} side=${side} label="what to compare">
    ${report && html`<${Row}><${Segmented} label="view" value=${view} options=${[["motion", "Motion"], ["figures", "Numbers"]]} onchange=${setView} /><//>`}
    ${view === "figures" && report ? html`<${Figures} report=${report} />` : html`
      <${Viewport} key=${hidden ? "hidden" : "named"} scene=${scene} start=${{ names: true, contacts: !hidden }} label="motions to compare" empty=${words} />
      ${round && html`<div class="panel tight vote" role="group" aria-label="vote">${round.voted === null
        ? html`<${Row}><b>Which looks most real?</b>${round.order.map((id, k) => html`<${Button} key=${id} onclick=${() => vote(id)}>${letter(k)}<//>`)}<${Button} kind="quiet" onclick=${() => vote(null)}>I can't tell<//><//>`
        : html`<${Row}><p>${round.order.map((id, k) => html`<span key=${id} class=${id === round.voted ? "voted" : ""}><b>${letter(k)}</b> ${name(id)}${k < round.order.length - 1 ? " · " : ""}</span>`)}</p>
          <${Button} kind="primary" onclick=${() => setRound({ order: shuffled(chosen), voted: null })}>Again<//><//>`}</div>`}`}
  <//>`;
}

export default { name: "compare", label: "Compare", Tab, kinds: ["body"], shows: ["noise", "evaluate"] };
