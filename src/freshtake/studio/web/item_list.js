// Lists of items: moving pictures, facts in words, stars, and choosing one or several.

import { html, useEffect, useRef, useState } from "./vendor/preact-htm.module.js";
import { api } from "./api.js";
import { star } from "./state.js";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Browsers limit parallel requests: pictures are queued, so motion never waits for them.
const MOST_PICTURES = 2;
const turns = { waiting: [], taken: 0 };
function takeTurn(begin) {
  const entry = { begin, taken: false };
  turns.waiting.push(entry);
  giveTurns();
  return () => {
    turns.waiting = turns.waiting.filter((one) => one !== entry);
    if (entry.taken) { entry.taken = false; turns.taken -= 1; }
    giveTurns();
  };
}
function giveTurns() {
  while (turns.taken < MOST_PICTURES && turns.waiting.length) {
    const next = turns.waiting.shift();
    next.taken = true;
    turns.taken += 1;
    next.begin();
  }
}

export function Thumb({ id, moving = true, stamp = "" }) {
  const [source, setSource] = useState(null), place = useRef(null), end = useRef(() => {});
  useEffect(() => {
    setSource(null);
    const address = api.thumbnail(id, moving && !still() ? "gif" : "png") + (stamp ? `?v=${encodeURIComponent(stamp)}` : "");
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      end.current = takeTurn(() => setSource(address));
    });
    seen.observe(place.current);
    return () => { seen.disconnect(); end.current(); };
  }, [id, stamp]);
  return html`<span class="thumb" ref=${place}>${source && html`<img alt="" decoding="async" src=${source} onLoad=${() => end.current()} onError=${() => { end.current(); setSource(null); }} />`}</span>`;
}

const METHODS = { variation: "variations", style: "style", density: "blend", texture: "endless playback" };
export function factWords({ kind, facts = {}, seed }) {
  const out = [];
  if (kind === "model") out.push(METHODS[facts.method] ?? "model", facts.examples ? `${facts.examples} takes` : "");
  else if (kind === "export") out.push(facts.count > 1 ? `${facts.count} motions` : "", facts.bytes ? `${Math.max(1, Math.round(facts.bytes / 1024))} kB` : "");
  else if (facts.seconds !== undefined) out.push(`${Number(facts.seconds).toFixed(2)} s`);
  if (kind === "take") out.push(facts.joints ? `${facts.joints} joints` : "", facts.fps ? `${Math.round(facts.fps)} fps` : "");
  if (seed !== null && seed !== undefined && kind === "variant") out.push(`seed ${seed}`);
  return out.filter(Boolean).join(" · ");
}
export const Facts = ({ item }) => html`<span class="facts">${factWords(item)}</span>`;

// `out`: takes have no star; rejected ones are not learned from.
export function Stars({ item, out }) {
  if (out) return html`<span class="stars"><button type="button" class="reject" aria-pressed=${String(item.star === -1)} aria-label=${`leave out ${item.name}`} title=${item.star === -1 ? "learn from it again" : "leave it out: do not learn from it"} onclick=${() => star(item, -1)}>✕</button></span>`;
  return html`<span class="stars">
    <button type="button" class="star" aria-pressed=${String(item.star === 1)} aria-label=${`star ${item.name}`} title="star" onclick=${() => star(item, 1)}>${item.star === 1 ? "★" : "☆"}</button>
    <button type="button" class="reject" aria-pressed=${String(item.star === -1)} aria-label=${`reject ${item.name}`} title="reject" onclick=${() => star(item, -1)}>✕</button>
  </span>`;
}

const PICTURED = ["take", "variant", "strokes", "character"];

// A list to choose one or several items from: click; Ctrl or the box adds; Shift extends the choice; arrows move.
// One tab stop per list: arrows move through it. `ondrag(event, item)`: items can be dragged to another movement.
export function ItemList({ items, chosen = [], onchoose, multiple = true, tools, empty, small, stars, label = "items", thumbs = true, ondrag, now, words }) {
  const last = useRef(null);
  const [stop, setStop] = useState(null);
  if (!items.length) return empty ?? null;
  const pick = (event, item, k) => {
    const adds = multiple && (event.ctrlKey || event.metaKey || event.boxed);
    if (multiple && event.shiftKey && last.current !== null) {
      const [from, to] = [last.current, k].sort((a, b) => a - b);
      onchoose([...new Set([...chosen, ...items.slice(from, to + 1).map((one) => one.id)])]);
      return;
    }
    last.current = k;
    if (adds) onchoose(chosen.includes(item.id) ? chosen.filter((id) => id !== item.id) : [...chosen, item.id]);
    else onchoose(multiple && chosen.length === 1 && chosen[0] === item.id ? [] : [item.id]);
  };
  const move = (event, k) => {
    const to = { ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || !items[to]) return;
    event.preventDefault();
    event.currentTarget.closest("ul").children[to].querySelector(".item-name").focus();
  };
  const atStop = items.some((item) => item.id === (now ?? stop)) ? now ?? stop : items[0].id;
  return html`<ul class=${`items own-keys ${small ? "items-small" : ""}`} aria-label=${label}>
    ${items.map((item, k) => html`<li key=${item.id} data-id=${item.id} class=${`item kind-${item.kind} ${chosen.includes(item.id) ? "chosen" : ""} ${item.star < 0 ? "rejected" : ""}`} draggable=${Boolean(ondrag)} onDragStart=${ondrag && ((event) => ondrag(event, item))} onFocusIn=${() => setStop(item.id)}>
      ${multiple && html`<input type="checkbox" tabindex=${item.id === atStop ? 0 : -1} aria-label=${`choose ${item.name}`} checked=${chosen.includes(item.id)} onChange=${() => pick({ boxed: true }, item, k)} />`}
      <button type="button" class="item-name" tabindex=${item.id === atStop ? 0 : -1} aria-pressed=${String(chosen.includes(item.id))} onclick=${(event) => pick(event, item, k)} onKeyDown=${(event) => move(event, k)}>
        ${thumbs && PICTURED.includes(item.kind) && html`<${Thumb} id=${item.id} moving=${!small} stamp=${item.trim ? item.trim.join("-") : ""} />`}
        <span class="item-words"><b>${item.name}</b><${Facts} item=${item} />${words?.(item) && html`<span class="facts">${words(item)}</span>`}</span>
      </button>
      ${stars && html`<${Stars} item=${item} out=${stars === "out"} />`}
      ${tools?.(item)}
    </li>`)}
  </ul>`;
}
