// Learn the translation from one style to another; compare a take with its translation, at the slider's strength.

import { html, useEffect, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { useMovement } from "../movements.js";
import { isClip, SampleButton, takesOf, useBodies, useLatest, useModels, useMotions } from "../picking.js";
import { itemOf, run, setKept, toast, useKept, useOwn, useStore } from "../state.js";
import { Button, Empty, LinePlot, LiveViewport, Note, NumberField, Panel, Row, Segmented, Select, Slider, Split, TaskButton, Viewport } from "../ui.js";

const COLORS = ["#3b82d6", "#d9534f", "#35a264", "#e0902f", "#8a63c9", "#2b9bb5"];

// From the takes of one movement to those of another, such as walking and limping.
function Learn({ open, onlearned }) {
  const { item: here } = useMovement(), items = useStore((now) => now.items), bodies = useBodies(here);
  const [source, setSource] = useOwn("style source", here?.id), [target, setTarget] = useOwn("style target", "");
  const [by, setBy] = useOwn("style by", "");
  const sources = takesOf(items, source), targets = takesOf(items, target), how = by || (sources.length === targets.length ? "order" : "content");
  const words = !target ? "choose the stylized movement" : source === target ? "choose two different movements" : how === "order" && sources.length !== targets.length ? "to pair by order, both need the same number of takes" : "";
  const options = bodies.map((one) => [one.id, one.name]);
  return html`<${Panel} title="Learn a style" open=${open}>
    <${Select} label="Normal" value=${source} options=${options} onchange=${setSource} hint="the movement as it usually is" />
    <${Select} label="Stylized" value=${target} options=${[["", "choose …"], ...options.filter(([id]) => id !== source)]} onchange=${setTarget} hint="the same movement in the other style" />
    <${Segmented} label="how to pair takes" value=${how} options=${[["order", "Pair by order", "first with first, second with second; one long take of each is cut into pieces"], ["content", "Pair by content", "takes that move similarly"]]} onchange=${setBy} />
    <${TaskButton} task="style_learn" items=${sources} settings=${{ targets, by: how, name: itemOf(target)?.name ?? "style" }} words="Learn the style" disabled=${Boolean(words)} title=${words} ondone=${onlearned} />
    ${bodies.length < 2 && html`<${Note}>Drop takes of the same movement in another style: they become a separate movement.<//>`}
  <//>`;
}

function Mix({ models, weights, onchange }) {
  const [moving, setMoving] = useState({});
  const put = (id, value) => onchange({ ...weights, [id]: value });
  return html`<${Panel} title=${models.length > 1 ? "Mix of styles" : "Style"}>
    ${models.map((one) => html`<${Slider} key=${one.id} label=${one.name} value=${weights[one.id] ?? 0} min=${0} max=${1} step=${0.05} format=${(x) => `${Math.round(100 * x)} %`}
      oninput=${(x) => { setMoving({ ...moving, [one.id]: x }); put(one.id, x); }} onchange=${(x) => put(one.id, x)} />`)}
  <//>`;
}

function Pairs({ model }) {
  const rows = model.facts.pairs ?? [];
  return html`<div class="table-box"><table class="table"><caption>${model.name}: ${rows.length} pairs by ${model.facts.by}</caption>
    <thead><tr><th scope="col">Normal</th><th scope="col">Stylized</th><th scope="col">Movement, normal</th><th scope="col">stylized</th><th scope="col" class="num">Difference</th></tr></thead>
    <tbody>${rows.map((row, k) => html`<tr key=${k}><td>${row.source}</td><td>${row.target}</td><td>${row.source_content}</td><td>${row.target_content}</td><td class="num">${row.apart.toFixed(2)}</td></tr>`)}</tbody></table></div>`;
}

function Warps({ model }) {
  const warps = model.facts.warps ?? [], pairs = model.facts.pairs ?? [];
  const series = warps.map((one, k) => ({ id: String(k), name: pairs[k] ? `${pairs[k].source} → ${pairs[k].target}` : `pair ${k + 1}`, role: "input", color: COLORS[k % COLORS.length], x: one.source, y: one.target }));
  return html`<${LinePlot} series=${series} xlabel="seconds of the normal take" ylabel="seconds of the stylized take" label="time warps of the pairs" />`;
}

function Tab() {
  const takes = useMotions().filter(isClip), models = useModels("style");
  const [weights, setWeights] = useKept("style weights", {}), [strength, setStrength] = useKept("style strength", 1), [moving, setMoving] = useState(null);
  const [take, setTake] = useOwn("style take", null), [below, setBelow] = useKept("style below", "pairs");
  const known = models.filter((one) => weights[one.id]), styles = known.length ? known.map((one) => [one.id, weights[one.id]]) : models.slice(-1).map((one) => [one.id, 1]);
  const shown = models.find((one) => one.id === styles[0]?.[0]);
  const chosen = takes.find((item) => item.id === take) ?? takes.find((item) => shown?.settings.examples?.includes(item.id)) ?? takes[0];
  const now = { take: chosen?.id, styles, strength: moving ?? strength, plant: moving === null };
  const [scene, , request] = useLatest((asked) => api.binary("style/preview", asked));
  const asked = JSON.stringify(now);
  useEffect(() => { if (now.take && styles.length) request(JSON.parse(asked)); }, [asked]);
  const shownWeights = Object.fromEntries(styles), [port, setPort] = useKept("receive port", 39540), [receiving, setReceiving] = useState(false);
  const side = html`
    ${models.length > 0 && html`<${Panel} title="Apply">
      <${Select} label="Take" value=${chosen?.id ?? ""} options=${takes.map((item) => [item.id, item.name])} onchange=${setTake} />
      <${Slider} label="Strength" value=${strength} min=${0} max=${2} step=${0.05} format=${(x) => x.toFixed(2)} hint="0: the take itself; 1: the style; more than 1 exaggerates it"
        oninput=${setMoving} onchange=${(x) => { setMoving(null); setStrength(x); }} />
      <${TaskButton} task="style_apply" items=${chosen ? [chosen.id] : []} settings=${{ styles, strength }} words="Save it to the movement" disabled=${!chosen} ondone=${() => toast("Saved with the takes of this movement.", "good")} />
    <//>
    <${Panel} title="A live take" open=${false}>
      <${Note}>Let another program send its poses here (VMC, from this computer): they move in the style as they arrive.<//>
      <${NumberField} label="Port" value=${port} min=${1} max=${65535} onchange=${(value) => setPort(Math.round(value))} disabled=${receiving} />
      <${Button} pressed=${receiving} onclick=${() => setReceiving(!receiving)}>${receiving ? "Stop receiving" : "Receive"}<//><//>
    <${Mix} models=${models} weights=${shownWeights} onchange=${setWeights} />`}
    <${Learn} open=${!models.length} onlearned=${(job) => setWeights({ [job.made[0]]: 1 })} />`;
  return html`<${Split} side=${side} label="styles">
    ${receiving && shown ? html`<${LiveViewport} key="received" model=${shown.id} controls=${{ strength: moving ?? strength }} fields=${{ receive: port }} label="the live take in the style" />` : html`<${Viewport} scene=${scene} start=${{ layout: "row", follow: true }} label="the take, and the same take in the style"
      empty=${html`<${Empty} title=${models.length ? "Choose a take" : "Learn a style first"} words="Choose a movement and the same movement in another style, such as walking and limping. You can then apply that style to any other take, as strongly as you like.">
        ${!models.length && html`<${SampleButton} names=${["walk_long", "limp"]} words="Try it with samples: walking and limping" then=${async ([walks, limps]) => { const done = await run("style_learn", walks, { targets: limps, by: "order", name: "limp" }); if (done) setKept("style weights", { [done.made[0]]: 1 }); }} />`}<//>`} />`}
    ${shown && html`<div class="below"><${Row}><${Segmented} label="what is shown below" value=${below} options=${[["pairs", "Pairs"], ["warps", "Time warps"]]} onchange=${setBelow} />
      ${(shown.facts.notes ?? []).map((note) => html`<${Note} kind="warn">${note}<//>`)}<//>
      ${below === "pairs" ? html`<${Pairs} model=${shown} />` : html`<${Warps} model=${shown} />`}</div>`}
  <//>`;
}

export default { name: "style", label: "Style", Tab, kinds: ["body"], shows: ["style_learn", "style_apply"] };
