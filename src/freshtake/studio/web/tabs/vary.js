// Vary: takes are learned, variants made, chosen and exported; or one endless motion runs live under the sliders.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { Button, Empty, ExportBar, ItemList, LiveViewport, Note, NumberField, Panel, Progress, Row, Segmented, Select, Slider, Split, Toggle, useCharacter, Viewport } from "../ui.js";
import { attempt, choose, currentModel, isOver, itemOf, newStep, remove, run, set, state, toast, useKept, useStore, variationModels } from "../state.js";
import { api, asSentence } from "../api.js";
import { useModels } from "../picking.js";
import { BodyParts } from "./body_parts.js";

export const START = { number: 15, amount: 1, parts: {}, seed: 0, loop: false, seconds: null, plant: true, in_place: false, pins: [], speed: 1, heading: null, style: null, strength: 1 };
const amountWords = (value) => (value === 0 ? "none, the average motion" : value < 0.75 ? "subtle" : value <= 1.3 ? "like the takes" : "more than the takes");
const amountLabel = (value) => `${value.toFixed(2)} · ${amountWords(value)}`;

function useSettings() {
  const kept = useStore((now) => now.vary);
  const all = { ...START, ...kept };
  return [all, (changes) => set({ vary: { ...state.vary, ...changes } })];
}

const PinIcon = () => html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill="currentColor" d="M5 1h6v1.5l-1 .6V7l2.5 2v1.5H8.700V15h-1.400v-4.500H3.500V9L6 7V3.100l-1-.6z" /></svg>`;

// ---- learning ----
const LONG = 6; // seconds: a take that may hold several cycles or repeats
function Learn({ takes, chosen, models, model, setModel }) {
  const jobs = useStore((now) => now.jobs).filter((job) => job.task === "learn" && !isOver(job));
  const learnFrom = takes.filter((item) => chosen.includes(item.id));
  const known = models.find((one) => one.settings?.examples && same(one.settings.examples, learnFrom.map((item) => item.id)));
  const learn = async () => {
    const done = await run("learn", learnFrom.map((item) => item.id), { name: common(learnFrom.map((item) => item.name)) });
    if (!done?.made[0]) return;
    setModel(done.made[0]);
    toast(done.notes.length ? "Learned. Read the remarks below the takes, then make variants." : "Learned. Now make variants.", "good");
  };
  return html`<${Panel} title="1 · Takes" actions=${html`<${Button} kind="quiet" onclick=${() => choose(learnFrom.length === takes.length ? [] : takes.map((item) => item.id))}>${learnFrom.length === takes.length ? "none" : "all"}<//>`}>
      <div class="scroll short"><${ItemList} items=${takes} chosen=${chosen} onchoose=${choose} small label="takes to learn from" empty=${html`<${Note}>Add takes in the Library first.<//>`} /></div>
      ${jobs.length ? jobs.map((job) => html`<${Progress} key=${job.id} job=${job} />`) : html`<${Button} kind=${known ? "plain" : "primary"} disabled=${!learnFrom.length} onclick=${learn}>
        ${learnFrom.length ? `Learn from ${learnFrom.length === 1 ? "one take" : `${learnFrom.length} takes`}` : "Choose takes to learn from"}${known ? " again" : ""}<//>`}
      ${learnFrom.length === 1 && !jobs.length && html`<${Note}>One take is varied as people usually vary. To let it vary as your performer does, choose others of the same movement, three to five in all${learnFrom[0].facts.seconds > LONG ? ", or cut this one into cycles or repeats in the Library" : ""}.<//>`}
      ${!jobs.length && (model?.facts.notes ?? []).map((note) => html`<${Note} key=${note} kind="warn">${asSentence(note)}.<//>`)}
    <//>
    ${models.length > 1 && html`<${Panel} tight><${Select} label="Model" value=${model?.id ?? ""} options=${models.map((one) => [one.id, one.name])} onchange=${setModel} /><//>`}`;
}

// What the names begin with: walk_1, walk_2 → walk.
function common(names) {
  let first = names[0];
  for (const name of names) while (!name.startsWith(first)) first = first.slice(0, -1);
  return names.length > 1 && first.replace(/[\W_\d]+$/, "") ? first.replace(/[\W_\d]+$/, "") : names[0];
}

const same = (a, b) => a.length === b.length && [...a].sort().join() === [...b].sort().join();

// ---- settings ----
function Pins({ pins, change }) {
  if (!pins.length) return html`<${Note}>Stop at a moment of a take and press “Pin this pose”: every variant then passes through it.<//>`;
  return html`<ul class="pins">${pins.map((pin, k) => html`<li key=${k}><span>${itemOf(pin.item)?.name ?? "a take"}, frame ${pin.frame}, at ${pin.second.toFixed(2)} s</span>
    <${Button} kind="quiet" label="remove this pin" onclick=${() => change({ pins: pins.filter((_, other) => other !== k) })}>✕<//></li>`)}</ul>`;
}

function Settings({ settings, change, remake, live, model }) {
  const { number, amount, parts, seed, loop, seconds, plant, in_place: inPlace, pins, speed, heading } = settings;
  const styles = useModels("style"), style = styles.find((one) => one.id === settings.style), { strength } = settings;
  const put = (changes) => { change(changes); if (!live) remake({ ...settings, ...changes }); };
  const preview = (changes) => { if (openVariants(model).length <= FEW) remake({ ...settings, ...changes }, false); };
  return html`<${Panel} title="2 · How they vary">
      <${Slider} label="Amount" value=${amount} min=${0} max=${2} step=${0.05} format=${amountLabel} hint="0: the average motion; 1: as different from each other as the takes are"
        oninput=${(value) => { if (live) change({ amount: value }); else preview({ amount: value }); }} onchange=${(value) => put({ amount: value })} />
      ${live ? html`<${Slider} label="Speed" value=${speed} min=${0.5} max=${1.5} step=${0.05} format=${(x) => `${x.toFixed(2)} ×`} oninput=${(value) => change({ speed: value })} onchange=${(value) => change({ speed: value })} />
          <${Slider} label="Heading" value=${heading ?? 0} min=${-180} max=${180} step=${5} format=${(x) => (heading === null ? "free" : `${x}°`)} oninput=${(value) => change({ heading: value })} onchange=${(value) => change({ heading: value })} />
          ${heading !== null && html`<${Row} end><${Button} kind="quiet" onclick=${() => change({ heading: null })}>Walk freely again<//><//>`}
          ${styles.length > 0 && html`<${Select} label="Style" value=${style?.id ?? ""} options=${[["", "none"], ...styles.map((one) => [one.id, one.name])]} onchange=${(id) => change({ style: id || null })} />
            ${style && html`<${Slider} label="Strength of the style" value=${strength} min=${0} max=${2} step=${0.05} format=${(x) => x.toFixed(2)} oninput=${(value) => change({ strength: value })} onchange=${(value) => change({ strength: value })} />`}`}`
        : html`<${Row}><${NumberField} label="How many" value=${number} min=${1} max=${1000} onchange=${(value) => change({ number: Math.round(value) })} /><//>
          <${Row}><${NumberField} label="Seed" value=${seed} min=${0} max=${2 ** 31} onchange=${(value) => change({ seed: Math.round(value) })} hint="the same seed gives the same variants; further ones get the next free seeds" />
            <${Button} kind="plain icon" label="random seed" title="a random seed: different variants" onclick=${() => change({ seed: Math.floor(Math.random() * 1e6) })}>⚄<//><//>
          <div class="toggles"><${Toggle} label="Seamless loop" value=${loop} onchange=${(value) => put({ loop: value })} hint="the last frame leads into the first" />
            <${Toggle} label="Keep feet planted" value=${plant} onchange=${(value) => put({ plant: value })} hint="standing feet do not slide" />
            <${Toggle} label="In place" value=${inPlace} onchange=${(value) => put({ in_place: value })} hint="without travel, for engines that move the character themselves" /></div>`}
    <//>
    ${!live && html`<${Panel} title="Parts of the body" open=${false}><${BodyParts} amount=${amount} parts=${parts} oninput=${(next) => preview({ parts: next })} onchange=${(next) => put({ parts: next })} /><//>
    <${Panel} name="Pinned poses" title=${`Pinned poses${pins.length ? ` (${pins.length})` : ""}`} open=${pins.length > 0}><${Pins} pins=${pins} change=${change} />
      ${pins.length > 0 && html`<${Button} onclick=${() => remake(settings)}>Remake variants through ${pins.length === 1 ? "this pose" : "these poses"}<//>`}<//>
    <${Panel} title="Length" open=${false}>
      <${Toggle} label="Natural lengths" value=${seconds === null} onchange=${(natural) => put({ seconds: natural ? null : Number((model?.facts?.seconds ?? 2).toFixed(2)) })} hint="each variant is as long as comes naturally" />
      ${seconds !== null && html`<${NumberField} label="Seconds" value=${seconds} min=${0.2} max=${600} step=${0.1} onchange=${(value) => put({ seconds: value })} />`}<//>`}`;
}

// ---- variants ----
const request = ({ number, amount, parts, seed, loop, seconds, plant, in_place: inPlace, pins }) => ({ number, amount, parts, seed, loop, seconds, plant, in_place: inPlace, pins });

const MOST_SHOWN = 1000;
const FEW = 60; // variants that follow a slider while it moves; more are made when it is let go
const openVariants = (model) => state.items.filter((item) => item.kind === "variant" && item.parent === model?.id && item.star === 0).map((item) => item.id);

// The first seed, or the next free one where that would make variants a second time.
function freeSeed(variants, { seed, number }) {
  const used = variants.map((item) => item.seed), taken = used.some((one) => one >= seed && one < seed + number);
  return taken ? Math.max(...used) + 1 : seed;
}

// Makes variants, and makes those that nobody has starred or rejected again, each from its own seed, when a setting changes.
function useMaking(model) {
  const jobs = useStore((now) => now.jobs), items = useStore((now) => now.items);
  const variants = items.filter((item) => item.kind === "variant" && item.parent === model?.id);
  const running = jobs.filter((job) => ["vary", "again"].includes(job.task) && !isOver(job));
  const make = (settings) => run("vary", [model.id], { ...request(settings), seed: freeSeed(variants, settings) });
  const queue = useRef({ busy: false, next: null, step: newStep() });
  // Of all settings that a moving slider passes only the newest are made; `done`: the slider was let go, so what
  // changes next is another step for undo.
  const remake = async (settings, done = true) => {
    const now = queue.current;
    now.next = { settings, step: now.step };
    if (done) now.step = newStep();
    if (now.busy) return;
    now.busy = true;
    while (now.next) {
      const { number, seed, ...wanted } = request(now.next.settings), { step } = now.next;
      now.next = null;
      const stale = openVariants(model).filter((id) => Object.keys(wanted).some((name) => JSON.stringify(itemOf(id).settings[name] ?? null) !== JSON.stringify(wanted[name])));
      if (stale.length) await run("again", stale, { ...wanted, replace: true, step });
    }
    now.busy = false;
  };
  return { variants, running, make, remake };
}

function Variants({ variants, picked, setPicked, running }) {
  const [filter, setFilter] = useKept("vary filter", "all");
  const starred = variants.filter((item) => item.star === 1), rejected = variants.filter((item) => item.star === -1);
  const shown = filter === "starred" ? starred : filter === "open" ? variants.filter((item) => item.star === 0) : variants;
  return html`<${Panel} title=${variants.length ? `Variants (${variants.length})` : "Variants"} fill
      actions=${rejected.length > 0 && html`<${Button} kind="quiet" title="remove the rejected variants from the project" onclick=${() => remove(rejected.map((item) => item.id))}>remove ${rejected.length} ✕<//>`}>
      ${variants.length > 0 && html`<${Segmented} label="which variants" value=${filter} onchange=${setFilter} options=${[["all", "All"], ["starred", `★ ${starred.length}`], ["open", "Undecided"]]} />`}
      ${running.map((job) => html`<${Progress} key=${job.id} job=${job} />`)}
      <div class="scroll"><${ItemList} items=${shown} chosen=${picked} onchoose=${setPicked} small stars thumbs=${false} label="variants"
        empty=${html`<${Note}>${variants.length ? "None here." : "What you make appears here. Star what you like; reject the rest."}<//>`} /></div>
    <//>
    <${Panel} title="3 · Export"><${ExportBar} ids=${(starred.length ? starred : []).map((item) => item.id)} what="starred" />
      ${!starred.length && variants.length > 0 && html`<${Note}>Star variants to export them, or <button type="button" class="link" onclick=${() => starAll(variants)}>star all</button>.<//>`}<//>`;
}

async function starAll(variants) {
  const step = newStep();
  for (const item of variants.filter((one) => one.star === 0)) await attempt(api.change(item.id, { star: 1, step }));
}

// ---- the tab ----
function Tab() {
  const items = useStore((now) => now.items), chosen = useStore((now) => now.chosen), modelId = useStore((now) => now.model);
  const [settings, change] = useSettings();
  const [mode, setMode] = useKept("vary mode", "variants");
  const [picked, setPicked] = useState([]);
  const viewport = useRef(null);
  const takes = items.filter((item) => ["take", "strokes"].includes(item.kind));
  const models = variationModels(items), model = currentModel(items, modelId);
  const setModel = (id) => set({ model: id });
  const { variants: shown, running, make, remake } = useMaking(model);
  useEffect(() => { setPicked((before) => before.filter((id) => shown.some((item) => item.id === id))); }, [shown.length]);
  const examples = useMemo(() => takes.filter((item) => (model?.settings?.examples ?? []).includes(item.id)), [items, model?.id]);
  const sources = examples.length ? examples : takes.filter((item) => chosen.includes(item.id));
  const liked = shown.filter((item) => item.star >= 0);
  const solo = picked.length ? shown.filter((item) => picked.includes(item.id)) : liked;
  const seen = (!shown.length || mode === "takes" ? sources : mode === "both" ? [...sources, ...solo] : solo).slice(0, MOST_SHOWN);
  const live = mode === "live" && model;

  const pin = () => {
    const v = viewport.current, item = seen.find((one) => picked.includes(one.id)) ?? seen[0];
    if (!v || !item) return;
    const second = Number(v.state.seconds.toFixed(3)), frames = item.facts.frames ?? 1;
    const frame = Math.min(Math.round(second * (item.facts.fps ?? 30)), frames - 1);
    v.pause();
    change({ pins: [...settings.pins, { item: item.id, frame, second }] });
    set({ kept: { ...state.kept, "panel Pinned poses": true } });
    toast(`Pinned: ${item.name}, frame ${frame}.${shown.length ? " Remake the variants, and all pass through it." : ""}`, "good");
    setTimeout(() => document.querySelector(".pins")?.closest(".panel").scrollIntoView({ block: "nearest" }), 50);
  };

  const side = html`<${Learn} takes=${takes} chosen=${chosen} models=${models} model=${model} setModel=${setModel} />
    ${model && html`<${Settings} settings=${settings} change=${change} remake=${remake} live=${live} model=${model} />`}
    ${model && !live && html`<div class="sticky-do"><${Button} kind="primary wide" busy=${running.some((job) => job.task === "vary")} onclick=${() => make(settings)}>Make ${settings.number === 1 ? "one variant" : `${settings.number} variants`}<//></div>`}`;
  const end = html`<${Variants} variants=${shown} picked=${picked} setPicked=${setPicked} running=${running} />`;
  const [character, characterSelect] = useCharacter(seen.length);
  const tools = html`<div class="stage-tools"><${Segmented} label="what is shown" value=${mode} onchange=${setMode}
      options=${[["variants", "Variants"], ["both", "With takes"], ["takes", "Takes"], ["live", "Live", "an endless motion that follows the sliders at once"]]} />
    ${!live && html`<${Button} title="every variant will pass through the pose shown" onclick=${pin}><${PinIcon} /> Pin this pose<//>${characterSelect}`}</div>`;
  return html`<${Split} label="vary" side=${side} end=${model ? end : null}>
    ${live ? html`<${LiveViewport} key=${`live ${model.id}`} model=${model.id} controls=${{ amount: settings.amount, speed: settings.speed, heading: settings.heading, strength: settings.strength }}
        fields=${{ seed: settings.seed, style: itemOf(settings.style) ? settings.style : null }}>${tools}<//>`
      : html`<${Viewport} key="played" items=${seen.map((item) => item.id)} fields=${{ character }} top=${52} onready=${(made) => { viewport.current = made; }} onpick=${(id) => id && setPicked(picked.includes(id) ? [] : [id])}
          empty=${html`<${Empty} title="From a few takes to many" words="Choose takes on the left, press Learn, then make variants: each as natural as the takes, none a copy."><${Button} onclick=${() => set({ tab: "library" })}>To the Library<//><//>`}>
          ${seen.length > 0 && model && tools}<//>`}
  <//>`;
}

export default { name: "vary", label: "Vary", Tab, shows: ["learn", "vary", "again", "export"] };
