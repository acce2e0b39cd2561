// Library: what is in the project; files dropped, looked at, repaired, trimmed and cut.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { Button, Empty, ItemList, NumberField, Note, Panel, Row, Segmented, Select, Split, TaskButton, TextField, Viewport, download, useCharacter } from "../ui.js";
import { addSample, attempt, choose, refresh, remove, run, set, state, toast, upload, useKept, useStore } from "../state.js";

const KINDS = [
  ["take", "Takes"], ["strokes", "Strokes"], ["model", "Models"], ["variant", "Variants"], ["character", "Characters"], ["export", "Exports"], ["report", "Reports"],
];
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
  const add = async (name) => { setBusy(name); const made = await addSample(name); if (made?.length) choose(made); setBusy(""); };
  return shown.map((one) => html`<${Button} key=${one.name} title=${`four takes of ${one.about}`} busy=${busy === one.name} onclick=${() => add(one.name)}>${WORDS[one.name] ?? one.name}<//>`);
}

// First start: what to do.
const Welcome = () => html`<${Empty} title="Drop a few takes of one movement here"
    words="Three to five recordings of the same walk, kick or wave are enough: BVH, FBX, glTF, USD, C3D, Acclaim and more. They play at once; the Vary tab then makes as many new ones as you like.">
    <${ChooseFiles} kind="primary">Choose files …<//>
  <//>
  <div class="empty"><p>No files at hand? Start with a sample:</p><div class="empty-do"><${Samples} /></div></div>`;

// A finding without the name of the take and of the command that the button stands for.
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
  return KINDS.filter(([kind]) => ofKind(kind).length).map(([kind, words]) => html`<${Panel} key=${kind} title=${`${words}`} open=${true}
      actions=${html`<${Button} kind="quiet" onclick=${() => choose(ofKind(kind).map((item) => item.id))}>all ${ofKind(kind).length}<//>`}>
    <${ItemList} items=${ofKind(kind)} chosen=${chosen} onchoose=${choose} tools=${tools} label=${words} small=${kind === "variant"} />
  <//>`);
}

function Findings({ item }) {
  if (!item.findings.length) return MOVES.includes(item.kind) ? html`<${Note} kind="good">No problems found.<//>` : null;
  const remedies = [...new Set(item.findings.map((one) => one.remedy).filter(Boolean))];
  return html`<ul class="findings">${item.findings.map((one) => html`<li class=${one.remedy ? "fault" : ""}>${plainly(one.words)}.</li>`)}</ul>
    ${remedies.length > 0 && html`<${TaskButton} task="repair" items=${[item.id]} settings=${{ repairs: remedies }} words=${remedies.length > 1 ? "Repair all" : "Repair"} kind="plain"
      ondone=${() => toast(`${item.name} is repaired. Undo brings the original back.`, "good")} />`}`;
}

// The part of a take that counts: both ends by number, or at the moment that is shown.
function Trim({ item, viewport }) {
  const frames = item.facts.frames ?? 0, [first, last] = item.trim ?? [0, frames - 1];
  const put = async (from, to) => {
    if (to <= from) { toast("The start must come before the end.", "error"); return; }
    const whole = from <= 0 && to >= frames - 1;
    if (await attempt(api.change(item.id, { trim: whole ? null : [Math.max(from, 0), Math.min(to, frames - 1)] }))) refresh();
  };
  const now = () => first + Math.round((viewport.current?.state.seconds ?? 0) * (item.facts.fps ?? 30));
  return html`<${Row}><${NumberField} label="From" value=${first} min=${0} max=${last - 1} onchange=${(value) => put(value, last)} />
      <${Button}  title="start at the frame shown" onclick=${() => put(now(), last)}>⇤ here<//><//>
    <${Row}><${NumberField} label="to" value=${last} min=${first + 1} max=${frames - 1} onchange=${(value) => put(first, value)} />
      <${Button}  title="end at the frame shown" onclick=${() => put(first, now())}>here ⇥<//><//>
    ${item.trim && html`<${Row} end><${Button} kind="quiet" onclick=${() => put(0, frames - 1)}>Remove the trim<//><//>`}`;
}

// Long takes in pieces: steps of a walk, or everything that is like a part of the take or like another take.
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
    ["learned from", facts.examples && `${facts.examples} takes`], ["seed", item.seed],
  ].filter(([, value]) => value || value === 0);
  return html`<${Panel} title="About">
      <${TextField} label="Name" value=${item.name} onchange=${async (name) => { if (name && name !== item.name) { await attempt(api.change(item.id, { name })); refresh(); } }} />
      <dl class="facts-list">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    <//>
    ${["take", "strokes"].includes(item.kind) && html`<${Panel} title="Checked"><${Findings} item=${item} /><//>`}
    ${MOVES.includes(item.kind) && facts.frames > 2 && html`<${Panel} title="Trim" open=${false}><${Trim} item=${item} viewport=${viewport} /><//>`}`;
}

function Chosen({ items, all, viewport }) {
  if (!items.length) return html`<${Panel}><${Note}>Click a take to see it; tick boxes to select several.<//><//>`;
  const takes = items.filter((item) => ["take", "strokes"].includes(item.kind)), models = items.filter((item) => item.kind === "model");
  const broken = takes.filter((item) => item.findings.some((one) => one.remedy));
  const repair = async () => { for (const item of broken) await run("repair", [item.id], {}); };
  return html`${items.length === 1 ? html`<${Details} key=${items[0].id} item=${items[0]} viewport=${viewport} />`
    : html`<${Panel} title=${`${items.length} selected`}>
        ${broken.length > 0 && html`<${Note} kind="warn">${broken.length === 1 ? "One take has" : `${broken.length} takes have`} problems that can be repaired.<//><${Button} onclick=${repair}>Repair ${broken.length === 1 ? "it" : "them"}<//>`}
        ${!takes.some((item) => item.findings.length) && takes.length > 1 && html`<${Note} kind="good">No problems found.<//>`}
        ${!broken.length && takes.some((item) => item.findings.length) && html`<${Note}>No problems. Some have remarks: click a take to read them.<//>`}<//>`}
    ${takes.some((item) => item.kind === "take") && html`<${Panel} title="Cut a long take" open=${items.length === 1 && items[0].facts.seconds > 6}><${Cut} key=${takes[0].id} items=${takes} takes=${all} /><//>`}
    <${Panel}>
      ${takes.length === 1 && html`<${Note}>To make variants, tick other takes of the same movement too: three to five are best.<//>`}
      ${takes.length > 1 && html`<${Button} kind="primary" onclick=${() => set({ tab: "vary" })}>Make variants of ${takes.length} takes<//>`}
      ${models.length === 1 && html`<${Button} kind="primary" onclick=${() => set({ tab: "vary", model: models[0].id })}>Make variants<//>`}
      <${Button} kind="danger" onclick=${() => remove(items.map((item) => item.id))}>Remove from the project<//>
    <//>`;
}

function Tab() {
  const items = useStore((now) => now.items), ids = useStore((now) => now.chosen), uploads = useStore((now) => now.uploads);
  const viewport = useRef(null);
  const chosen = ids.map((id) => items.find((item) => item.id === id)).filter(Boolean);
  const moving = chosen.filter((item) => MOVES.includes(item.kind));
  const [character, characterSelect] = useCharacter(moving.length);
  useEffect(() => { // what was added is not left out of sight
    document.querySelector(`.items [data-id="${ids[0]}"]`)?.scrollIntoView({ block: "nearest" });
  }, [ids.join()]);
  useEffect(() => { if (!ids.length) { const first = state.items.filter((item) => item.kind === "take").slice(0, 4); if (first.length) choose(first.map((item) => item.id)); } }, []);
  if (!items.length) return html`<div class="welcome">${uploads > 0 ? html`<${Empty} title="Reading …" words="The takes appear as soon as they are read." />` : html`<${Welcome} />`}</div>`;
  const side = html`<${Panel}>
      <${ChooseFiles} kind="primary">Add files …<//>
      <${Note}>or drop them anywhere on this page<//>
      <details><summary>Samples</summary><div class="chips"><${Samples} all /></div></details>
    <//><${Lists} items=${items} chosen=${ids} />`;
  return html`<${Split} label="library" side=${side} end=${html`<${Chosen} items=${chosen} all=${items} viewport=${viewport} />`}>
    <${Viewport} items=${moving.map((item) => item.id)} fields=${{ character }} top=${characterSelect ? 52 : 0} onready=${(made) => { viewport.current = made; }} onpick=${(id) => id && choose([id])}
      empty=${html`<${Empty} title="Nothing selected" words="Click a take on the left to see it move." />`}>${characterSelect && html`<div class="stage-tools">${characterSelect}</div>`}<//>
  <//>`;
}

export default { name: "library", label: "Library", Tab };
