// Vary: make, compare, choose and export variants of the movement; or run one endless motion live under the sliders.

import { html, useRef, useState } from "../vendor/preact-htm.module.js";
import { Button, Empty, ExportBar, ItemList, LiveViewport, Note, NumberField, Panel, Progress, Row, Segmented, Select, Slider, Split, Toggle, useCharacter, Viewport } from "../ui.js";
import { asStep, attempt, isOver, itemOf, newStep, ownOf, remove, run, set, setOwn, star, state, toast, useOwn, useStore } from "../state.js";
import { learned, movementOf, useMovement } from "../movements.js";
import { api, asSentence } from "../api.js";
import { useModels } from "../picking.js";
import { differenceWords, ORDERS, REVIEW_KEYS, useDifferences, useOrdered, useReviewKeys } from "../review.js";
import { DragButton, Timeline } from "../timeline.js";
import { BodyParts } from "./body_parts.js";

export const START = { count: 15, amount: 1, parts: {}, seed: 0, loop: false, seconds: null, plant: true, in_place: false, pins: [], speed: 1, heading: null, style: null, strength: 1 };
const amountWords = (value) => (value === 0 ? "none, the average motion" : value < 0.75 ? "subtle" : value <= 1.3 ? "like the takes" : "more than the takes");
const amountLabel = (value) => `${value.toFixed(2)} · ${amountWords(value)}`;

const settingsOf = (movement) => ({ ...START, ...ownOf("vary", movement) });
function useSettings() {
  const [own] = useOwn("vary", {});
  return [{ ...START, ...own }, (changes) => setOwn("vary", { ...ownOf("vary"), ...changes })];
}

const PinIcon = () => html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path fill="currentColor" d="M5 1h6v1.5l-1 .6V7l2.5 2v1.5H8.700V15h-1.400v-4.500H3.500V9L6 7V3.100l-1-.6z" /></svg>`;

// The examples, and the remarks of the learner.
function Takes({ movement, jobs }) {
  const { takes, examples, model, stale } = movement, left = takes.length - examples.length;
  const words = !takes.length ? "A model without takes." : `${examples.length === 1 ? "One take" : `${examples.length} takes`}${left ? `, ${left} left out` : ""}.`;
  return html`<${Panel} title="Learned from" actions=${html`<${Button} kind="quiet" onclick=${() => set({ tab: "takes" })}>takes …<//>`}>
      <${Note}>${words}${stale ? " They have changed: the next variants will relearn from them." : ""}<//>
      ${examples.length === 1 && html`<${Note}>One take varies as people usually do, a long one that repeats as its cycles do. Drop more takes of the same movement, three to five in all, and it varies as your performer does.<//>`}
      ${jobs.filter((job) => job.task === "learn").map((job) => html`<${Progress} key=${job.id} job=${job} />`)}
      ${!jobs.length && (model?.facts.notes ?? []).map((note) => html`<${Note} key=${note} kind="warn">${asSentence(note)}.<//>`)}
    <//>`;
}

// ---- settings ----
function Pins({ pins, change }) {
  if (!pins.length) return html`<${Note}>Stop at a moment of a take and press “Pin this pose”, or drag the button onto the timeline: every variant then passes through it.<//>`;
  return html`<ul class="pins">${pins.map((pin, k) => html`<li key=${k}><span>${itemOf(pin.item)?.name ?? "a take"}, frame ${pin.frame}, at ${pin.second.toFixed(2)} s</span>
    <${Button} kind="quiet" label="remove this pin" onclick=${() => change({ pins: pins.filter((_, other) => other !== k) })}>✕<//></li>`)}</ul>`;
}

// Only settings that apply to this kind of movement: drawn lines have neither feet nor travel.
function Settings({ settings, change, remake, live, movement }) {
  const { kind, model } = movement, body = kind === "body", human = body && movement.takes[0]?.facts.human !== false;
  const { count, amount, parts, seed, loop, seconds, plant, in_place: inPlace, pins, speed, heading } = settings;
  const styles = useModels("style"), style = styles.find((one) => one.id === settings.style), { strength } = settings;
  const put = (changes) => { change(changes); if (!live) remake({ ...settings, ...changes }); };
  const preview = (changes) => { if (openVariants(movement.id).length <= FEW) remake({ ...settings, ...changes }, false); };
  return html`<${Panel} title="How they vary">
      <${Slider} label="Amount" value=${amount} min=${0} max=${2} step=${0.05} format=${amountLabel} hint="0: the average motion; 1: as different from each other as the takes are"
        oninput=${(value) => { if (live) change({ amount: value }); else preview({ amount: value }); }} onchange=${(value) => put({ amount: value })} />
      ${live ? html`<${Slider} label="Speed" value=${speed} min=${0.5} max=${1.5} step=${0.05} format=${(x) => `${x.toFixed(2)} ×`} oninput=${(value) => change({ speed: value })} onchange=${(value) => change({ speed: value })} />
          ${body && html`<${Slider} label="Heading" value=${heading ?? 0} min=${-180} max=${180} step=${5} format=${(x) => (heading === null ? "free" : `${x}°`)} oninput=${(value) => change({ heading: value })} onchange=${(value) => change({ heading: value })} />`}
          ${heading !== null && html`<${Row} end><${Button} kind="quiet" onclick=${() => change({ heading: null })}>Walk freely again<//><//>`}
          ${body && styles.length > 0 && html`<${Select} label="Style" value=${style?.id ?? ""} options=${[["", "none"], ...styles.map((one) => [one.id, one.name])]} onchange=${(id) => change({ style: id || null })} />
            ${style && html`<${Slider} label="Strength of the style" value=${strength} min=${0} max=${2} step=${0.05} format=${(x) => x.toFixed(2)} oninput=${(value) => change({ strength: value })} onchange=${(value) => change({ strength: value })} />`}`}`
        : html`<${Row}><${NumberField} label="How many" value=${count} min=${1} max=${1000} onchange=${(value) => change({ count: Math.round(value) })} /><//>
          <${Row}><${NumberField} label="Seed" value=${seed} min=${0} max=${2 ** 31} onchange=${(value) => change({ seed: Math.round(value) })} hint="the same seed gives the same variants; additional ones continue its numbers" />
            <${Button} kind="plain icon" label="random seed" title="a random seed: different variants" onclick=${() => change({ seed: Math.floor(Math.random() * 1e6) })}>⚄<//><//>
          ${body && html`<div class="toggles"><${Toggle} label="Seamless loop" value=${loop} onchange=${(value) => put({ loop: value })} hint="the last frame leads into the first" />
            <${Toggle} label="Keep feet planted" value=${plant} onchange=${(value) => put({ plant: value })} hint="standing feet do not slide" />
            <${Toggle} label="In place" value=${inPlace} onchange=${(value) => put({ in_place: value })} hint="without travel, for engines that move the character themselves" /></div>`}`}
    <//>
    ${!live && html`${human && html`<${Panel} title="Parts of the body" open=${false}><${BodyParts} amount=${amount} parts=${parts} oninput=${(next) => preview({ parts: next })} onchange=${(next) => put({ parts: next })} /><//>`}
    <${Panel} name="Pinned poses" title=${`Pinned poses${pins.length ? ` (${pins.length})` : ""}`} open=${pins.length > 0}><${Pins} pins=${pins} change=${change} />
      ${pins.length > 0 && html`<${Button} onclick=${() => remake(settings)}>Remake variants through ${pins.length === 1 ? "this pose" : "these poses"}<//>`}<//>
    <${Panel} title="Length" open=${false}>
      <${Toggle} label="Natural lengths" value=${seconds === null} onchange=${(natural) => put({ seconds: natural ? null : Number((model?.facts?.seconds ?? 2).toFixed(2)) })} hint="each variant is as long as comes naturally" />
      ${seconds !== null && html`<${NumberField} label="Seconds" value=${seconds} min=${0.2} max=${600} step=${0.1} onchange=${(value) => put({ seconds: value })} />`}<//>`}`;
}

// ---- variants ----
const request = ({ count, amount, parts, seed, loop, seconds, plant, in_place: inPlace, pins }) => ({ count, amount, parts, seed, loop, seconds, plant, in_place: inPlace, pins });

const MOST_SHOWN = 1000;
const FEW = 60; // variants that follow a slider while it moves; more are made when it is released
const openVariants = (movement) => movementOf(state.items, movement).variants.filter((item) => item.star === 0 && !item.settings.redraw).map((item) => item.id); // redrawn stretches keep their settings

// The number after the last variant of this seed, so no variant is made twice.
const nextNumber = (variants, seed) => Math.max(0, ...variants.filter((item) => item.seed === seed).map((item) => item.number)) + 1;

// Learns if needed, then makes variants with this movement's settings.
export async function makeVariants(movement) {
  const model = await learned(movement), settings = settingsOf(movement.id);
  if (!model) return undefined;
  const same = movementOf(state.items, movement.id).variants.filter((item) => item.parent === model.id);
  return run("vary", [model.id], { ...request(settings), first: nextNumber(same, settings.seed) });
}

// When a setting changes, remakes variants that are neither starred nor rejected from their seeds.
function useRemaking(movement) {
  const queue = useRef({ busy: false, next: null, step: newStep() });
  // Only the newest of the settings that a moving slider passes are applied; `done`: the slider was released, so the
  // next change is another undo step.
  return async (settings, done = true) => {
    const now = queue.current;
    now.next = { settings, step: now.step };
    if (done) now.step = newStep();
    if (now.busy) return;
    now.busy = true;
    while (now.next) {
      const { count, seed, ...wanted } = request(now.next.settings), { step } = now.next;
      now.next = null;
      const stale = openVariants(movement.id).filter((id) => Object.keys(wanted).some((name) => JSON.stringify(itemOf(id).settings[name] ?? null) !== JSON.stringify(wanted[name])));
      if (stale.length) await asStep(run("again", stale, { ...wanted, replace: true, step }));
    }
    now.busy = false;
  };
}

const FILTERS = { starred: (item) => item.star === 1, open: (item) => item.star === 0, all: () => true };

// The findings about a variant, and how it differs.
function About({ item, difference, take }) {
  const words = differenceWords(difference);
  return html`<div class="about-variant" role="status"><b>${item.name}</b>
    <img class="poses" key=${item.id} src=${`${api.strip(item.id)}?v=${item.facts.revision ?? 0}`} alt=${`poses of ${item.name}, from its start to its end`} />
    ${take && html`<img class="poses" key=${take.id} src=${api.strip(take.id)} alt=${`poses of the take ${take.name}, to compare`} />`}
    ${item.findings.map((one) => html`<p class="look">${asSentence(one.words)}.</p>`)}
    ${words && html`<p>${words[0].toUpperCase() + words.slice(1)}.</p>`}</div>`;
}

function Variants({ variants, shown, picked, setPicked, running, filter, setFilter, order, setOrder, differences, body, take }) {
  const starred = variants.filter(FILTERS.starred), rejected = variants.filter((item) => item.star === -1);
  const tools = (item) => item.findings.length > 0 && html`<span class="badge warn" title=${item.findings.map((one) => asSentence(one.words)).join(". ")} aria-label=${`${item.findings.length} remarks`}>!</span>`;
  const one = picked.length === 1 ? variants.find((item) => item.id === picked[0]) : null;
  return html`<${Panel} title=${variants.length ? `Variants (${variants.length})` : "Variants"} fill name="Variants"
      actions=${rejected.length > 0 && html`<${Button} kind="quiet" title="remove the rejected variants from the project" onclick=${() => remove(rejected.map((item) => item.id))}>remove ${rejected.length} ✕<//>`}>
      ${variants.length > 0 && html`<${Segmented} label="which variants" value=${filter} onchange=${setFilter} options=${[["all", "All"], ["starred", `★ ${starred.length}`], ["open", "Undecided"]]} />
        ${body && html`<${Select} label="Order" value=${order} options=${ORDERS} onchange=${setOrder} />`}`}
      ${running.map((job) => html`<${Progress} key=${job.id} job=${job} />`)}
      <div class="scroll"><${ItemList} items=${shown} chosen=${picked} onchoose=${setPicked} small stars thumbs=${false} tools=${tools} now=${picked[0]} label="variants" words=${(item) => (differences[item.id] ? `${differences[item.id].mean.toFixed(2)} × the takes` : "")}
        empty=${html`<${Note}>${variants.length ? "None here." : "What you make appears here. Star what you like; reject the rest."}<//>`} /></div>
      ${one ? html`<${About} item=${one} difference=${differences[one.id]} take=${take} />` : variants.length > 0 && html`<details class="keys"><summary>Review by keys</summary>${REVIEW_KEYS.map(([key, words]) => html`<p><kbd>${key}</kbd> ${words}</p>`)}</details>`}
    <//>
    <${Panel} title="Export"><${ExportBar} ids=${(starred.length ? starred : []).map((item) => item.id)} what="starred" />
      ${!starred.length && variants.length > 0 && html`<${Note}>Star variants to export them, or <button type="button" class="link" onclick=${() => starAll(variants)}>star all</button>.<//>`}<//>`;
}

async function starAll(variants) {
  const step = newStep();
  for (const item of variants.filter((one) => one.star === 0)) await attempt(asStep(api.change(item.id, { star: 1, step })));
}

// ---- the tab ----
function Tab() {
  const movement = useMovement(), { model, variants, takes } = movement;
  const [settings, change] = useSettings();
  const [mode, setMode] = useOwn("vary mode", "variants");
  const [picked, setPicked] = useOwn("vary picked", []);
  const viewport = useRef(null), remake = useRemaking(movement);
  const jobs = useStore((now) => now.jobs).filter((job) => job.movement === movement.id && !isOver(job)), running = jobs.filter((job) => ["vary", "again", "redraw"].includes(job.task)), redrawing = jobs.some((job) => job.task === "redraw");
  const busy = jobs.some((job) => ["learn", "vary"].includes(job.task));
  const known = new Set(variants.map((item) => item.id)), chosen = picked.filter((id) => known.has(id));
  const sources = movement.examples, body = movement.kind === "body";
  const [filter, setFilter] = useOwn("vary filter", "all"), [order, setOrder] = useOwn("vary order", "made");
  const [tint, setTint] = useOwn("vary tint", false), [behind, setBehind] = useOwn("vary behind", false), [flipped, setFlipped] = useState(null);
  const differences = useDifferences(variants, body && (order !== "made" || chosen.length > 0 || tint));
  const listed = useOrdered(variants, order, differences).filter(FILTERS[filter]);
  const solo = chosen.length ? variants.filter((item) => chosen.includes(item.id)) : variants.filter((item) => item.star >= 0);
  const one = chosen.length === 1 ? variants.find((item) => item.id === chosen[0]) : null, under = body && one && behind && mode === "variants" ? sources.slice(0, 8) : [];
  const flip = flipped && one ? sources.find((item) => item.id === flipped) ?? sources[0] : null;
  const seen = (flip ? [flip] : !variants.length || mode === "takes" ? sources : mode === "both" ? [...sources, ...solo] : [...solo, ...under]).slice(0, MOST_SHOWN);
  const live = mode === "live" && model;

  // The motion that the marks on the scrub bar belong to, and its stretch between in and out.
  const alone = flip ?? (seen.length - under.length === 1 ? seen[0] : null), fps = (alone ?? seen[0])?.facts.fps ?? 30;
  const [marked, setMarked] = useOwn("vary stretch", null), stretch = marked?.item === alone?.id && body ? marked : null;
  const lasts = Math.max(0, ...(alone ? [alone] : seen).map(({ trim, facts }) => (trim ? trim[1] - trim[0] : (facts.frames ?? 1) - 1) / (facts.fps ?? 30)));
  const mark = (changes) => { if (alone && body) setMarked({ from: 0, to: lasts, ...stretch, ...changes, item: alone.id }); };
  const here = () => Math.round((viewport.current?.state.seconds ?? 0) * fps) / fps;
  const markIn = () => mark({ from: here(), to: Math.max(stretch?.to ?? lasts, Math.min(here() + 1 / fps, lasts)) });
  const markOut = () => mark({ to: here(), from: Math.min(stretch?.from ?? 0, Math.max(here() - 1 / fps, 0)) });
  const redraw = async (item, how) => {
    const learnt = await learned(movement);
    const done = learnt && (await run("redraw", [item.id], { count: 4, amount: settings.amount, plant: settings.plant, seed: settings.seed, ...how, model: learnt.id }));
    if (done) { setMode("variants"); setFlipped(null); setPicked(done.made); toast(done.made.length === 1 ? "Redrawn; the rest is unchanged." : `${done.made.length} new ones: only the stretch differs.`, "good"); }
  };
  const redrawStretch = () => redraw(alone, { start: String(Math.round(stretch.from * fps)), stop: String(Math.round(stretch.to * fps)) });

  const pin = (at) => {
    const v = viewport.current, item = seen.find((one) => chosen.includes(one.id)) ?? seen[0];
    if (!v || !item) return;
    const second = Number((at ?? v.state.seconds).toFixed(3)), frames = item.facts.frames ?? 1;
    const frame = Math.min(Math.round(v.state.seconds * (item.facts.fps ?? 30)), frames - 1);
    v.pause();
    change({ pins: [...settings.pins, { item: item.id, frame, second }] });
    set({ kept: { ...state.kept, "panel Pinned poses": true } });
    toast(`Pinned: ${item.name}, frame ${frame}.${variants.length ? " Remake the variants, and all will pass through it." : ""}`, "good");
    setTimeout(() => document.querySelector(".pins")?.closest(".panel").scrollIntoView({ block: "nearest" }), 50);
  };

  const step = (by) => {
    const at = listed.findIndex((item) => item.id === chosen[0]), next = listed[at < 0 ? (by > 0 ? 0 : listed.length - 1) : (at + by + listed.length) % listed.length];
    if (next) { setPicked([next.id]); setFlipped(null); document.querySelector(`.items [data-id="${next.id}"]`)?.scrollIntoView({ block: "nearest" }); }
  };
  const again = async () => {
    if (stretch) { await redrawStretch(); return; }
    if (!one || !model) return;
    if (one.settings.redraw) { const { item, ...how } = one.settings.redraw; if (itemOf(item)) await redraw(itemOf(item), { ...how, count: 1, seed: one.seed }); return; }
    const done = await run("vary", [model.id], { ...request({ ...settings, count: 1 }), seed: one.seed, first: nextNumber(variants, one.seed) });
    if (done) { await remove([one.id]); setPicked(done.made); }
  };
  useReviewKeys(live ? {} : {
    "[": markIn, "]": markOut, m: () => pin(), ...(stretch && { r: again, esc: () => setMarked(null) }), ...(variants.length && {
    ".": () => step(1), ",": () => step(-1), s: () => one && star(one, 1), x: () => { if (one) { const gone = one; step(1); star(gone, -1); } }, b: () => one && setFlipped(flipped ? null : sources[0]?.id),
    r: again, v: () => setTint(!tint), h: () => setBehind(!behind), esc: () => { if (stretch) setMarked(null); else { setPicked([]); setFlipped(null); } },
  }) });
  const movePin = (k, second) => change({ pins: settings.pins.map((one, other) => (other === k ? { ...one, second: Number(second.toFixed(3)) } : one)) });
  const marks = [
    ...(stretch ? [{ key: "in", kind: "in", second: stretch.from, most: stretch.to - 1 / fps, label: "in: the stretch begins", onmove: (from) => mark({ from }), onremove: () => setMarked(null) },
      { key: "out", kind: "out", second: stretch.to, least: stretch.from + 1 / fps, label: "out: the stretch ends", onmove: (to) => mark({ to }), onremove: () => setMarked(null) }] : []),
    ...settings.pins.map((one, k) => ({ key: `pin ${k}`, kind: "pin", second: one.second, label: `pin: ${itemOf(one.item)?.name ?? "a take"}, frame ${one.frame}`, onmove: (second, done) => { if (done) movePin(k, second); }, onremove: () => change({ pins: settings.pins.filter((_, other) => other !== k) }) })),
  ];
  const strip = lasts > 0 && html`<${Timeline} seconds=${lasts} step=${1 / fps} marks=${marks} bands=${stretch ? [{ ...stretch, kind: "stretch" }] : []} onseek=${(second) => { viewport.current?.pause(); viewport.current?.seek(second); }} />`;

  const side = html`<${Takes} movement=${movement} jobs=${jobs} />
    <${Settings} settings=${settings} change=${change} remake=${remake} live=${live} movement=${movement} />
    ${!live && html`<div class="sticky-do"><${Button} kind="primary wide" busy=${busy} disabled=${!model && !movement.examples.length} onclick=${() => makeVariants(movement)}>Make ${settings.count === 1 ? "one variant" : `${settings.count} variants`}<//></div>`}`;
  const end = html`<${Variants} variants=${variants} shown=${listed} picked=${chosen} setPicked=${(ids) => { setPicked(ids); setFlipped(null); }} running=${running} filter=${filter} setFilter=${setFilter} order=${order} setOrder=${setOrder} differences=${differences} body=${body} take=${sources[0]} />`;
  const [character, characterSelect] = useCharacter(seen.length);
  const tools = html`<div class="stage-tools"><${Segmented} label="what is shown" value=${mode} onchange=${setMode}
      options=${[["variants", "Variants"], ["both", "With takes"], ["takes", "Takes"], ...(movement.kind === "body" ? [["live", "Live", "an endless motion that follows the sliders at once"]] : [])]} />
    ${!live && html`${body && variants.length > 0 && html`<${Button} pressed=${tint} title="parts of the body turn orange when a variant is farther from the average than the takes are (v)" onclick=${() => setTint(!tint)}>What differs<//>`}
      ${body && one && html`<${Button} pressed=${behind} title="the takes, pale, in the same place (h)" onclick=${() => setBehind(!behind)}>Takes behind<//>`}
      <${DragButton} title="every variant will pass through the pose shown (m); drag it onto the timeline for another moment" onpress=${() => pin()} ondrop=${pin}><${PinIcon} /> Pin this pose<//>
      ${body && alone && !stretch && html`<${Button} title="begin a stretch to redraw at this moment ([); end it with (])" onclick=${markIn}>Mark in<//>`}
      ${stretch && html`<${Button} title="the stretch ends at this moment (])" onclick=${markOut}>Mark out<//><${Button} kind="primary" busy=${redrawing} title="redraw only this stretch, and keep the rest (r)" onclick=${redrawStretch}>Redraw ${stretch.from.toFixed(2)}–${stretch.to.toFixed(2)} s<//>
        <${Button} kind="icon" label="no stretch" title="no stretch (esc)" onclick=${() => setMarked(null)}>✕<//>`}${characterSelect}`}</div>`;
  return html`<${Split} label="vary" side=${side} end=${variants.length || running.length ? end : null}>
    ${live ? html`<${LiveViewport} key=${`live ${model.id}`} model=${model.id} controls=${{ amount: settings.amount, speed: settings.speed, heading: settings.heading, strength: settings.strength }}
        fields=${{ seed: settings.seed, style: itemOf(settings.style) ? settings.style : null }}>${tools}<//>`
      : html`<${Viewport} key="played" items=${seen.map((item) => item.id)} ghosts=${flip ? [] : under.map((item) => item.id)} fields=${{ character, ...(tint && body ? { differences: true } : {}) }} top=${52} strip=${strip} onready=${(made) => { viewport.current = made; }} onpick=${(id) => id && known.has(id) && setPicked(chosen.includes(id) ? [] : [id])}
          empty=${html`<${Empty} title="Nothing to vary" words="Drop takes of this movement anywhere on the page.">${takes.length > 0 && html`<${Button} onclick=${() => set({ tab: "takes" })}>To the takes<//>`}<//>`}>
          ${seen.length > 0 && model && tools}<//>`}
  <//>`;
}

export default { name: "vary", label: "Vary", Tab, shows: ["learn", "vary", "again", "redraw", "export"], kinds: ["body", "stroke", "markers"] };
