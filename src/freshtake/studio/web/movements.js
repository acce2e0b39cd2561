// Movements: their list, the items of the current one, and moving takes between them.
//   const movement = useMovement()    { id, item, kind, own, takes, examples, models, model, stale, variants }
//   const home = useOwnItems(kinds)   items of the current movement, of some kinds
//   <Rail />                          the list on the left

import { html, useMemo, useRef, useState } from "./vendor/preact-htm.module.js";
import { api } from "./api.js";
import { asStep, attempt, itemOf, openMovement, refresh, remove, run, toast, useKept, useStore } from "./state.js";
import { Thumb } from "./item_list.js";

export const KINDS = { body: "Bodies", stroke: "Drawn", mesh: "Meshes", markers: "Markers" };
const LEARNED = ["take", "strokes"];
const isVariation = (item) => item.kind === "model" && (item.facts.method ?? "variation") === "variation";
const revision = (item) => `${item.facts.revision ?? 0}:${item.trim?.[0] ?? ""}:${item.trim?.[1] ?? ""}`;

// The items of one movement. Rejected takes are not examples, nor is a long take that was cut: its pieces are. A model
// of other examples is stale.
export function movementOf(items, id) {
  const own = items.filter((item) => item.movement === id), item = items.find((one) => one.id === id) ?? null;
  const takes = own.filter((one) => LEARNED.includes(one.kind)), wanted = takes.filter((one) => one.star >= 0);
  const cut = new Set(wanted.map((one) => one.parent)), examples = wanted.filter((one) => !cut.has(one.id));
  const models = own.filter(isVariation), model = models[models.length - 1] ?? null;
  const known = model?.settings?.examples;
  const stale = Boolean(model) && examples.length > 0 && Boolean(known)
    && (known.join() !== examples.map((one) => one.id).join() || (model.settings.revisions && model.settings.revisions.join() !== examples.map(revision).join()));
  const variants = own.filter((one) => one.kind === "variant" && isVariation(items.find((other) => other.id === one.parent) ?? {}));
  return { id, item, kind: item?.facts.what ?? null, own, takes, examples, models, model, stale, variants };
}
export function useMovement() {
  const items = useStore((now) => now.items), id = useStore((now) => now.movement);
  return useMemo(() => movementOf(items, id), [items, id]);
}
export const useOwnItems = (kinds) => useMovement().own.filter((item) => kinds.includes(item.kind));
export const useOwnModels = (method) => useMovement().own.filter((item) => item.kind === "model" && item.facts.method === method);

// Learns a model if there is none or it is stale; resolves with the model.
export async function learned(movement) {
  if (movement.model && !movement.stale) return movement.model;
  if (!movement.examples.length) { toast("All takes are left out: include at least one of them again.", "error"); return null; }
  const done = await run("learn", movement.examples.map((item) => item.id), { name: movement.item.name });
  return done ? itemOf(done.made[0]) ?? { id: done.made[0] } : null;
}

export async function regroup(items, movement, name) {
  const target = await attempt(asStep(api.post("regroup", { items, movement, ...(name ? { name } : {}) })));
  refresh();
  if (target) toast(`${items.length === 1 ? itemOf(items[0])?.name ?? "The take" : `${items.length} takes`} moved to ${target.name}.`, "good");
  return target;
}

export const removeMovement = (movement) => remove([...movement.own.map((item) => item.id), movement.id]);

// ---- the list ----
const DRAGGED = "application/x-freshtake-items";
window.addEventListener("dragend", () => document.body.classList.remove("dragging"));
window.addEventListener("drop", () => document.body.classList.remove("dragging"), true);
export const drag = (event, ids) => { setTimeout(() => document.body.classList.add("dragging")); event.dataTransfer.setData(DRAGGED, ids.join()); event.dataTransfer.effectAllowed = "move"; };
const dragged = (event) => [...event.dataTransfer.types].includes(DRAGGED);

// A no-break space keeps a number and its word on one line.
export const counted = (number, one, many = `${one}s`) => (number ? `${number}\u00a0${number === 1 ? one : many}` : "");
function countWords({ takes, variants, own }) {
  const words = [counted(takes.length, "take"), counted(variants.length, "new", "new")].filter(Boolean).join(" · ");
  return words || counted(own.length, "item") || "empty";
}

function Entry({ movement, chosen, stop, onopen, onkey }) {
  const [hover, setHover] = useState(false), [over, setOver] = useState(false);
  const { item, takes, variants, own } = movement, shown = takes[0] ?? variants[0] ?? own.find((one) => one.kind === "variant");
  const drop = (event) => {
    if (!dragged(event)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    const ids = event.dataTransfer.getData(DRAGGED).split(",").filter((id) => itemOf(id)?.movement !== item.id);
    if (ids.length) regroup(ids, item.id);
  };
  return html`<li class=${`movement ${chosen ? "chosen" : ""} ${over ? "over" : ""}`} data-movement=${item.id} draggable=${takes.length > 0} onDragStart=${(event) => drag(event, takes.map((one) => one.id))}
      onDragOver=${(event) => { if (dragged(event)) { event.preventDefault(); setOver(true); } }} onDragLeave=${() => setOver(false)} onDrop=${drop}
      onMouseEnter=${() => setHover(true)} onMouseLeave=${() => setHover(false)}>
    <button type="button" class="movement-name" tabindex=${stop ? 0 : -1} aria-current=${chosen ? "true" : undefined} title=${item.name} onclick=${() => onopen(item.id)} onKeyDown=${onkey} onFocus=${() => setHover(true)} onBlur=${() => setHover(false)}>
      ${shown ? html`<${Thumb} key=${`${shown.id}${hover}`} id=${shown.id} moving=${hover} stamp=${shown.trim ? shown.trim.join("-") : ""} />` : html`<span class="thumb"></span>`}
      <span class="item-words"><b>${item.name}</b><span class="facts">${countWords(movement)}</span></span></button></li>`;
}

const MANY = 6; // movements beyond which a search field is shown
export function Rail({ children }) {
  const items = useStore((now) => now.items), id = useStore((now) => now.movement), list = useRef(null);
  const [search, setSearch] = useKept("movements search", ""), [kind, setKind] = useKept("movements kind", "");
  const [over, setOver] = useState(false);
  const all = useMemo(() => items.filter((item) => item.kind === "movement").map((item) => movementOf(items, item.id)), [items]);
  if (!all.length) return null;
  const kinds = [...new Set(all.map((one) => one.kind))];
  const word = search.trim().toLowerCase();
  const shown = all.filter((one) => (!kind || !kinds.includes(kind) || one.kind === kind) && (!word || [one.item, ...one.takes].some((item) => item.name.toLowerCase().includes(word))));
  const tabStop = shown.some((one) => one.id === id) ? id : shown[0]?.id;
  const move = (event) => {
    const at = shown.findIndex((one) => one.id === event.currentTarget.closest("li").dataset.movement);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || !shown[to]) return;
    event.preventDefault();
    openMovement(shown[to].id);
    setTimeout(() => list.current?.querySelector(`[data-movement="${shown[to].id}"] button`)?.focus());
  };
  const apart = (event) => {
    if (!dragged(event)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    const ids = event.dataTransfer.getData(DRAGGED).split(",");
    regroup(ids, null).then((made) => made && openMovement(made.id));
  };
  return html`<nav class="rail" aria-label="movements">
    <div class="rail-top">${children}
      ${all.length > MANY && html`<input type="search" class="rail-search" aria-label="search movements and takes" placeholder="Search …" value=${search} onInput=${(event) => setSearch(event.target.value)} />`}
      ${kinds.length > 1 && html`<select class="rail-kind" aria-label="kinds of movements" value=${kind} onChange=${(event) => setKind(event.target.value)}>
        <option value="">All ${all.length}</option>${kinds.map((one) => html`<option key=${one} value=${one} selected=${one === kind}>${KINDS[one] ?? one}</option>`)}</select>`}</div>
    <ul class="movements own-keys" ref=${list}>${shown.map((one) => html`<${Entry} key=${one.id} movement=${one} chosen=${one.id === id} stop=${one.id === tabStop} onopen=${openMovement} onkey=${move} />`)}
      ${!shown.length && html`<li class="note">Nothing by that name.</li>`}</ul>
    <p class=${`rail-new ${over ? "over" : ""}`} onDragOver=${(event) => { if (dragged(event)) { event.preventDefault(); setOver(true); } }} onDragLeave=${() => setOver(false)} onDrop=${apart}>drop a take here to make it a separate movement</p>
  </nav>`;
}
