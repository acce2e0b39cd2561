// Takes of the movement: drop files; view, repair, trim and cut them.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { Button, Empty, ItemList, NumberField, Note, Panel, Row, Segmented, Select, Split, TaskButton, TextField, Viewport, download, useCharacter } from "../ui.js";
import { drag, removeMovement, useMovement } from "../movements.js";
import { asStep, attempt, choose, refresh, remove, run, set, showSample, toast, upload, useKept, useOwn, useStore } from "../state.js";
import { useReviewKeys } from "../review.js";
import { Timeline } from "../timeline.js";
import { makeVariants } from "./vary.js";

const KINDS = [
  ["take", "Takes"], ["strokes", "Strokes"], ["model", "Models"], ["variant", "Variants"], ["character", "Characters"], ["export", "Exports"], ["report", "Reports"],
];
const LEARNED = ["take", "strokes"];
const VARIED = ["body", "stroke", "markers"]; // kinds of movements that can be varied
const MOVES = ["take", "variant", "strokes", "character"];
const FIRST = ["walk", "run", "cheer", "kick", "punch", "letter_a"]; // samples worth a button
const WORDS = { walk: "Walk", run: "Run", cheer: "Cheer", kick: "Kick", punch: "Punch", letter_a: "Letter a", walk_long: "Long walk", walk_turn: "Circle", limp: "Limp", crouch: "Crouch", proud: "Proud walk", skip: "Skip", jump: "Jump", jab: "Jab", fight: "Fight", digit_2: "Digit 2", circle: "Circles", flag: "Flag" };

export function ChooseFiles({ kind = "plain", children = "Add files …" }) {
  const field = useRef(null);
  return html`<input ref=${field} type="file" multiple hidden onChange=${(event) => { upload(event.target.files); event.target.value = ""; }} />
    <${Button} kind=${kind} onclick=${() => field.current.click()}>${children}<//>`;
}

function Samples({ all }) {
  const [list, setList] = useState([]);
  const [busy, setBusy] = useState("");
  useEffect(() => { api.samples().then(setList, () => setList([])); }, []);
  const shown = all ? list : list.filter((one) => FIRST.includes(one.name));
  const add = async (name) => { setBusy(name); await showSample(name); setBusy(""); };
  return shown.map((one) => html`<${Button} key=${one.name} title=${`four takes of ${one.about}`} busy=${busy === one.name} onclick=${() => add(one.name)}>${WORDS[one.name] ?? one.name}<//>`);
}

// The first start: suggestions.
const Welcome = () => html`<${Empty} title="Drop takes here"
    words="One recording of a walk, a kick or a wave is enough, three to five are better: BVH, FBX, glTF, USD, C3D, Acclaim and more. They play at once, takes of the same movement are grouped, and one click makes as many new ones as you like.">
    <${ChooseFiles} kind="primary">Choose files …<//><${Button} onclick=${() => set({ tab: "draw" })}>Draw a character<//>
  <//>
  <div class="empty"><p>No files at hand? Start with a sample:</p><div class="empty-do"><${Samples} /></div></div>`;

// A finding, without the names of the take and of the command that the button replaces.
function plainly(words) {
  const plain = words.replace(/^\S{1,60}: /, "").replace(/; repair with [\w-]+$/, "");
  return plain[0].toUpperCase() + plain.slice(1);
}

function Badge({ findings }) {
  if (!findings.length) return null;
  const faults = findings.filter((one) => one.remedy).length, words = faults ? `${faults} ${faults === 1 ? "problem" : "problems"} that can be repaired` : `${findings.length} ${findings.length === 1 ? "remark" : "remarks"}`;
  return html`<span class=${`badge ${faults ? "warn" : ""}`} title=${`${words}:\n${findings.map((one) => plainly(one.words)).join("\n")}`} aria-label=${words}>${faults ? "!" : "i"}</span>`;
}

function Lists({ items, chosen }) {
  const ofKind = (kind) => items.filter((item) => item.kind === kind);
  const tools = (item) => html`<${Badge} findings=${item.findings} />
    ${item.kind === "export" && html`<${Button} kind="quiet" label=${`download ${item.name}`} onclick=${() => download(item.id)}>↓<//>`}`;
  const ondrag = (event, item) => drag(event, chosen.includes(item.id) ? ofKind(item.kind).filter((one) => chosen.includes(one.id)).map((one) => one.id) : [item.id]);
  return KINDS.filter(([kind]) => ofKind(kind).length).map(([kind, words]) => { const learned = LEARNED.includes(kind); return html`<${Panel} key=${kind} title=${words} open=${kind !== "export"}
      actions=${html`<${Button} kind="quiet" onclick=${() => choose(ofKind(kind).map((item) => item.id))}>all ${ofKind(kind).length}<//>`}>
    <${ItemList} items=${ofKind(kind)} chosen=${chosen} onchoose=${choose} tools=${tools} label=${words} small=${kind === "variant"} stars=${learned ? "out" : false} ondrag=${learned ? ondrag : undefined} />
  <//>`; });
}

function Findings({ item }) {
  if (!item.findings.length) return MOVES.includes(item.kind) ? html`<${Note} kind="good">No problems found.<//>` : null;
  const remedies = [...new Set(item.findings.map((one) => one.remedy).filter(Boolean))];
  return html`<ul class="findings">${item.findings.map((one) => html`<li class=${one.remedy ? "fault" : ""}>${plainly(one.words)}.</li>`)}</ul>
    ${remedies.length > 0 && html`<${TaskButton} task="repair" items=${[item.id]} words=${remedies.length > 1 ? "Repair all" : "Repair"} kind="plain"
      ondone=${() => toast(`${item.name} is repaired. Undo restores the original.`, "good")} />`}`;
}

// The trim of a take: both ends by number, at the current time, or dragged on the scrub bar.
const trimOf = (item) => item.trim ?? [0, (item.facts.frames ?? 1) - 1];
async function putTrim(item, from, to) {
  const last = item.facts.frames - 1;
  if (to <= from) { toast("The start must come before the end.", "error"); return; }
  const whole = from <= 0 && to >= last;
  if (await attempt(asStep(api.change(item.id, { trim: whole ? null : [Math.max(from, 0), Math.min(to, last)] })))) refresh();
}
function TrimMarks({ item, viewport }) {
  const fps = item.facts.fps ?? 30, all = item.facts.frames - 1, seconds = all / fps, [[first, last], setEnds] = useState(trimOf(item));
  useEffect(() => setEnds(trimOf(item)), [trimOf(item).join()]);
  const move = (from, to, done) => { setEnds([from, to]); if (done) putTrim(item, from, to); };
  const marks = [
    { key: "start", kind: "start", second: first / fps, most: (last - 1) / fps, label: "start of the take", onmove: (second, done) => move(Math.round(second * fps), last, done), onremove: () => putTrim(item, 0, last) },
    { key: "end", kind: "end", second: last / fps, least: (first + 1) / fps, label: "end of the take", onmove: (second, done) => move(first, Math.round(second * fps), done), onremove: () => putTrim(item, first, all) },
  ];
  const bands = [{ from: 0, to: first / fps, kind: "left-out" }, { from: last / fps, to: seconds, kind: "left-out" }].filter(({ from, to }) => to > from);
  return html`<${Timeline} seconds=${seconds} step=${1 / fps} marks=${marks} bands=${bands} onseek=${(second) => { viewport.current?.pause(); viewport.current?.seek(second); }} />`;
}
const frameShown = (item, viewport) => Math.round((viewport.current?.state.seconds ?? 0) * (item.facts.fps ?? 30));
function Trim({ item, viewport }) {
  const frames = item.facts.frames ?? 0, [first, last] = trimOf(item), put = (from, to) => putTrim(item, from, to);
  const now = () => frameShown(item, viewport);
  return html`<${Row}><${NumberField} label="From" value=${first} min=${0} max=${last - 1} onchange=${(value) => put(value, last)} />
      <${Button}  title="start at the frame shown ([)" onclick=${() => put(now(), last)}>⇤ here<//><//>
    <${Row}><${NumberField} label="to" value=${last} min=${first + 1} max=${frames - 1} onchange=${(value) => put(first, value)} />
      <${Button}  title="end at the frame shown (])" onclick=${() => put(first, now())}>here ⇥<//><//>
    ${item.trim && html`<${Row} end><${Button} kind="quiet" onclick=${() => put(0, frames - 1)}>Remove the trim<//><//>`}`;
}

// Cuts long takes: into steps of a walk, or everything similar to part of the take or to another take.
function Cut({ items, takes }) {
  const [how, setHow] = useKept("cut how", "cycles");
  const [like, setLike] = useState("");
  const [[first, last], setPart] = useState([0, Math.min(items[0].facts.frames - 1, Math.round(items[0].facts.fps ?? 30))]);
  const others = takes.filter((item) => !items.includes(item) && item.kind === "take");
  const about = {  cycles: "Cuts walks and runs into single cycles, ready to learn from.", repeats: "Cuts out everything that resembles an example." };
  const settings = how === "cycles" ? { how } : { how, ...(like ? { like } : { first, last }) };
  return html`<${Segmented} label="cut by" value=${how} options=${[["cycles", "Cycles"], ["repeats", "Repeats"]]} onchange=${setHow} />
    <${Note}>${about[how]}<//>
    ${how === "repeats" && html`<${Select} label="Like" value=${like} options=${[["", "a part of this take"], ...others.map((item) => [item.id, item.name])]} onchange=${setLike} />
      ${!like && html`<${Row}><${NumberField} label="frames" value=${first} min=${0} max=${last - 1} onchange=${(value) => setPart([value, last])} /><${NumberField} label="to" value=${last} min=${first + 1} onchange=${(value) => setPart([first, value])} /><//>`}`}
    <${TaskButton} task="cut" items=${items.map((item) => item.id)} settings=${settings} words=${how === "cycles" ? "Find cycles" : "Find repeats"} kind="plain"
      ondone=${(job) => { choose(job.made); toast(`${job.made.length} pieces found.`, "good"); }} />`;
}

function Details({ item, viewport }) {
  const { facts } = item;
  const rows = [
    ["length", facts.seconds !== undefined && `${Number(facts.seconds).toFixed(2)} s, ${facts.frames} frames`], ["rate", facts.fps && `${Number(facts.fps).toPrecision(3)} fps`],
    ["joints", facts.joints], ["markers", facts.points], ["vertices", facts.vertices], ["format", facts.format], ["up axis, unit", facts.up && `${facts.up}, ${(facts.unit ?? "?").replace(/ \(guessed.*\)/, " (guessed)")}`],
    ["learned from", facts.examples && `${facts.examples} takes`], ["seed", item.kind === "variant" && item.seed !== null ? `${item.seed}, number ${item.number}` : item.seed],
  ].filter(([, value]) => value || value === 0);
  return html`<${Panel} title="About">
      <${TextField} label="Name" value=${item.name} onchange=${async (name) => { if (name && name !== item.name) { await attempt(asStep(api.change(item.id, { name }))); refresh(); } }} />
      <dl class="facts-list">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    <//>
    ${["take", "strokes"].includes(item.kind) && html`<${Panel} title="Checked"><${Findings} item=${item} /><//>`}
    ${MOVES.includes(item.kind) && facts.frames > 2 && html`<${Panel} title="Trim" open=${false}><${Trim} item=${item} viewport=${viewport} /><//>`}`;
}

function Chosen({ items, movement, viewport }) {
  const takes = items.filter((item) => LEARNED.includes(item.kind));
  const broken = takes.filter((item) => item.findings.some((one) => one.remedy));
  const repair = async () => { for (const item of broken) await run("repair", [item.id], {}); };
  return html`${items.length === 1 ? html`<${Details} key=${items[0].id} item=${items[0]} viewport=${viewport} />`
    : items.length > 1 && html`<${Panel} title=${`${items.length} ${items.every((item) => LEARNED.includes(item.kind)) ? "takes" : "selected"}`}>
        ${broken.length > 0 && html`<${Note} kind="warn">${broken.length === 1 ? "One take has" : `${broken.length} takes have`} problems that can be repaired.<//><${Button} onclick=${repair}>Repair ${broken.length === 1 ? "it" : "them"}<//>`}
        ${!takes.some((item) => item.findings.length) && takes.length > 1 && html`<${Note} kind="good">No problems found.<//>`}
        ${!broken.length && takes.some((item) => item.findings.length) && html`<${Note}>No problems. Some have remarks: click a take to read them.<//>`}<//>`}
    ${movement.kind === "body" && takes.some((item) => item.kind === "take") && html`<${Panel} title="Cut a long take" open=${items.length === 1 && items[0].facts.seconds > 6}><${Cut} key=${takes[0].id} items=${takes} takes=${movement.takes} /><//>`}
    <${Panel}>
      <${Next} movement=${movement} />
      ${items.length > 0 && html`<${Button} kind="danger" onclick=${() => remove(items.map((item) => item.id))}>Remove ${items.length === 1 ? items[0].name : `these ${items.length}`}<//>`}
    <//>`;
}

// The one thing to do next with this movement.
function Next({ movement }) {
  const busy = useStore((now) => now.jobs).some((job) => job.movement === movement.id && ["waiting", "running"].includes(job.state) && ["learn", "vary"].includes(job.task));
  const [settings] = useOwn("vary", {}), number = settings.count ?? 15;
  if (movement.kind === "mesh") return html`<${Button} kind="primary" onclick=${() => set({ tab: "texture" })}>Play it endlessly …<//>`;
  if (!VARIED.includes(movement.kind) || (!movement.examples.length && !movement.model)) return null;
  return html`<${Button} kind="primary" busy=${busy} onclick=${() => { set({ tab: "vary" }); makeVariants(movement); }}>Make ${number === 1 ? "one variant" : `${number} variants`}<//>
    ${movement.examples.length === 1 && html`<${Note}>One take varies as people usually do, a long one that repeats as its cycles do. Drop more takes of the same movement, three to five in all, and it varies as your performer does.<//>`}`;
}

function Name({ movement }) {
  const rename = async (name) => { if (name.trim() && name !== movement.item.name) { await attempt(asStep(api.change(movement.id, { name: name.trim() }))); refresh(); } };
  return html`<${Panel}>
    <${TextField} label="Movement" value=${movement.item.name} onchange=${rename} hint="what its models, variants and files are called" />
    <details><summary>More</summary><div class="chips"><${Samples} all /></div>
      <${Button} kind="danger" onclick=${() => removeMovement(movement)}>Remove this movement and everything in it<//></details>
  <//>`;
}

function Tab() {
  const items = useStore((now) => now.items), uploads = useStore((now) => now.uploads), movement = useMovement();
  const [ids] = useOwn("chosen", []), viewport = useRef(null);
  const shared = items.filter((item) => !item.movement && item.kind !== "movement");
  const chosen = [...movement.own, ...shared].filter((item) => ids.includes(item.id)), shown = chosen.length ? chosen : movement.takes;
  const still = movement.takes.length ? movement.takes : movement.own;
  const moving = (shown.some((item) => MOVES.includes(item.kind)) ? shown : still).filter((item) => MOVES.includes(item.kind));
  const [character, characterSelect] = useCharacter(moving.length);
  const trimmed = moving.length === 1 && moving[0].facts.frames > 2 && movement.kind !== "mesh" ? moving[0] : null; // shown in full, with the trimmed part marked
  useReviewKeys(trimmed ? { "[": () => putTrim(trimmed, frameShown(trimmed, viewport), trimOf(trimmed)[1]), "]": () => putTrim(trimmed, trimOf(trimmed)[0], frameShown(trimmed, viewport)) } : {});
  useEffect(() => { // newly added takes are shown
    document.querySelector(`.items [data-id="${ids[0]}"]`)?.scrollIntoView({ block: "nearest" });
  }, [ids.join()]);
  if (!movement.item) return html`<div class="welcome">${uploads > 0 ? html`<${Empty} title="Reading …" words="The takes appear as soon as they are read." />` : html`<${Welcome} />`}</div>`;
  const side = html`<${Name} key=${movement.id} movement=${movement} /><${Lists} items=${[...movement.own, ...shared]} chosen=${ids} />`;
  return html`<${Split} label="takes" side=${side} end=${html`<${Chosen} items=${shown} movement=${movement} viewport=${viewport} />`}>
    <${Viewport} items=${moving.map((item) => item.id)} fields=${{ character, ...(trimmed ? { whole: true } : {}) }} strip=${trimmed && html`<${TrimMarks} key=${trimmed.id} item=${trimmed} viewport=${viewport} />`} top=${characterSelect ? 52 : 0} onready=${(made) => { viewport.current = made; }} onpick=${(id) => id && choose(ids.includes(id) ? [] : [id])}
      empty=${html`<${Empty} title="No takes" words="Drop takes of this movement anywhere on the page." />`}>${characterSelect && html`<div class="stage-tools">${characterSelect}</div>`}<//>
  <//>`;
}

export default { name: "takes", label: "Takes", Tab, kinds: ["body", "stroke", "mesh", "markers", null] };
