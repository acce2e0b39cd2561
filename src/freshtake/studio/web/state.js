// The state of the page: the project as it is on the server, and the choices in this window. One store for all tabs.
//
//   const project = useStore((state) => state.items)     part of the state; the component rerenders when it changes
//   set({ tab: "vary" })                                 changes part of the state
//   choose(ids)                                          the chosen items of the current movement
//   await attempt(api.remove(id))                        undefined and a toast if it fails
//   const job = await run("learn", ids, { ... })         starts a task; resolves with the finished job (undefined: failed)

import { useEffect, useRef, useState } from "./vendor/preact-htm.module.js";
import { api, asSentence } from "./api.js";

const KEPT = ["tab", "theme", "movement", "last", "own", "kept"]; // survives a reload of this window
const PLACE = "freshtake-studio";
const kept = (() => { try { return JSON.parse(sessionStorage.getItem(PLACE)) ?? {}; } catch { return {}; } })();

export const state = {
  ready: false, connected: false, name: "", items: [], jobs: [], presets: {}, undo: null, redo: null, change: 0,
  tab: "takes", theme: localStorage.getItem("freshtake-theme") ?? "auto", movement: null, last: null, own: {}, kept: {},
  toasts: [], uploads: 0, warming: null, dropping: false, ...kept,
};
const listeners = new Set();

export function set(changes) {
  Object.assign(state, changes);
  if (Object.keys(changes).some((name) => KEPT.includes(name))) {
    sessionStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, state[name]]))));
  }
  for (const listener of [...listeners]) listener();
}

export function subscribe(listener) { listeners.add(listener); return () => listeners.delete(listener); }

export function useStore(select) {
  const [, redraw] = useState(0), held = useRef(null), value = select(state);
  held.current = { select, value };
  useEffect(() => {
    const listener = () => { if (held.current.select(state) !== held.current.value) redraw((count) => count + 1); };
    listeners.add(listener);
    listener();
    return () => listeners.delete(listener);
  }, []);
  return value;
}

// A value that survives leaving the tab and reloading the page: [value, change].
export function useKept(name, start) {
  const value = useStore((now) => now.kept[name]) ?? start;
  return [value, (next) => setKept(name, next)];
}
export const setKept = (name, value) => set({ kept: { ...state.kept, [name]: value } });

// The same, per movement.
export function useOwn(name, start) {
  const value = useStore((now) => now.own[now.movement]?.[name]) ?? start;
  return [value, (next) => setOwn(name, next)];
}
export const ownOf = (name, movement = state.movement) => state.own[movement]?.[name];
export const setOwn = (name, value, movement = state.movement) => set({ own: { ...state.own, [movement]: { ...state.own[movement], [name]: value } } });

// ---- the project ----
export async function load() {
  const before = presetChanges;
  let project = await api.project();
  while (project.change < state.change) project = await api.project(); // events overtook the answer
  if (before !== presetChanges || presetsUnderWay) project.presets = state.presets; // the page has newer ones
  const over = new Map(state.jobs.filter(isOver).map((job) => [job.id, job]));
  set({ ...project, jobs: project.jobs.map((job) => over.get(job.id) ?? job), ready: true });
  forget();
}

// Choices for all movements, such as the format of exports: shown immediately, then stored by the server.
let presetChanges = 0, presetsUnderWay = 0;
export async function keepPreset(name, value) {
  presetChanges += 1;
  presetsUnderWay += 1;
  set({ presets: { ...state.presets, [name]: value } });
  await attempt(api.preset(name, value));
  presetsUnderWay -= 1;
}

// Removes choices of items that no longer exist.
function forget() {
  const ids = new Set(state.items.map((item) => item.id)), before = ownOf("chosen") ?? [];
  const chosen = before.filter((id) => ids.has(id));
  if (chosen.length !== before.length) setOwn("chosen", chosen);
}

// `list` with new or changed entries; late messages never restart a job that has ended.
const merged = (list, some) => {
  const all = new Map(list.map((one) => [one.id, one]));
  for (const one of some) { const before = all.get(one.id); if (!(before?.task && isOver(before) && !isOver(one))) all.set(one.id, one); }
  return [...all.values()];
};
const replaced = (list, one) => merged(list, [one]);
const endings = new Map(); // job id → callbacks for its end

// Messages from the server are applied in batches, so a thousand variants do not render the page a thousand times.
const MOMENT = 60; // milliseconds
let inbox = [];
export function hear(message) {
  inbox.push(message);
  if (inbox.length === 1) setTimeout(hearAll, MOMENT);
}

function hearAll() {
  const messages = inbox, latest = new Map(); // id → the newest item, or null if it was deleted
  inbox = [];
  for (const { item, gone } of messages) if (item) latest.set(item.id, item); else if (gone) latest.set(gone, null);
  const jobs = messages.flatMap(({ job }) => job ?? []), changes = {};
  if (latest.size) changes.items = merged(state.items.filter((item) => latest.get(item.id) !== null), [...latest.values()].filter(Boolean));
  if (jobs.length) changes.jobs = merged(state.jobs, jobs);
  for (const { warming } of messages) if (warming !== undefined) changes.warming = warming;
  const numbers = messages.flatMap(({ change }) => change ?? []);
  if (numbers.length) changes.change = numbers[numbers.length - 1];
  set(changes);
  if ([...latest.values()].includes(null)) forget();
  if (numbers.length) refresh(); // another window may have made the change: undo and redo have changed
  jobs.forEach(ended);
}

export const isOver = (job) => ["done", "failed", "cancelled", "interrupted"].includes(job.state);

function ended(job) {
  if (!isOver(job)) return;
  const waiting = endings.get(job.id);
  endings.delete(job.id);
  if (!waiting) return;
  if (["failed", "interrupted"].includes(job.state)) toast(job.error ?? "The work ended before it was done: start it again.", "error");
  if (job.state === "done" && job.task !== "learn") job.notes?.slice(0, 2).forEach(noteToast); // notes of learning are shown with the model
  waiting.forEach((tell) => tell(job));
}

export function connect() {
  let lost = false;
  return api.events(
    hear,
    () => {
      set({ connected: true, change: 0 });
      load().then(() => { state.jobs.forEach(ended); if (lost) toast("Connected again.", "good"); lost = false; }, (error) => toast(error.message, "error"));
    },
    () => { if (state.connected) lost = true; set({ connected: false }); },
  );
}

// ---- actions ----
export async function attempt(promise) {
  try { return await promise; } catch (error) { toast(error.message, "error"); return undefined; }
}

// Running requests that will become undo steps: undo waits for them, or it would undo the step before.
const underWay = new Set();
export function asStep(promise) {
  underWay.add(promise);
  const over = () => underWay.delete(promise);
  promise.then(over, over);
  return promise;
}

// Only the server knows undo and redo, so they are reloaded after changes.
let asked = 0;
export function refresh() {
  clearTimeout(asked);
  asked = setTimeout(() => attempt(load()), 250);
}

export async function waitFor(job) {
  const known = isOver(job) ? job : state.jobs.find((one) => one.id === job.id) ?? job;
  return new Promise((tell) => {
    endings.set(job.id, [...(endings.get(job.id) ?? []), tell]);
    ended(known);
  });
}

// Starts a task; resolves when it ends: with the job if it succeeded, otherwise undefined. `onstart(job)` when it is queued.
export async function run(task, items, settings = {}, onstart) {
  const job = await attempt(api.start(task, items, settings));
  if (!job) return undefined;
  set({ jobs: replaced(state.jobs, job) });
  onstart?.(job);
  const over = await waitFor(job);
  refresh();
  return over.state === "done" ? over : undefined;
}

// A name for changes that are undone together.
export const newStep = () => `step ${Date.now()} ${Math.random().toString(36).slice(2, 10)}`;

// Uploads one by one in the order of names (walk_2 before walk_10), which becomes the order of the list.
export async function upload(files) {
  const list = [...files].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) || 0);
  list.sort((a, b) => Number(b.name.toLowerCase().endsWith(".asf")) - Number(a.name.toLowerCase().endsWith(".asf"))); // AMC files need it
  if (!list.length) return;
  set({ uploads: state.uploads + list.length });
  const made = [], reading = [], step = list.length > 1 ? newStep() : null;
  let opened = false;
  for (const file of list) {
    const job = await attempt(api.upload(file, step));
    if (!job) { set({ uploads: state.uploads - 1 }); continue; }
    set({ jobs: replaced(state.jobs, job) });
    reading.push(waitFor(job).then((over) => {
      made.push(...(over.made ?? []));
      set({ uploads: state.uploads - 1 });
      const first = itemOf(made.find((id) => itemOf(id)?.movement));
      if (first && !opened) { opened = true; openMovement(first.movement); } // show the dropped take
    }));
  }
  await Promise.all(reading);
  const homes = new Set(made.map((id) => itemOf(id)?.movement).filter(Boolean));
  if (homes.size > 1) toast(`${made.length} takes of ${homes.size} movements. Drag a take to another movement if it belongs there.`, "good");
  refresh();
}

// Shows a movement; the tab stays if it applies to this kind of movement.
export function openMovement(id, tab) {
  const chosen = itemOf(id);
  if (!chosen) return;
  set({ movement: id, tab: tab ?? (state.tab === "draw" ? "takes" : state.tab) });
}

// Takes of a sample; resolves with their ids.
export async function addSample(name) {
  const job = await attempt(api.sample(name));
  if (!job) return undefined;
  const { made } = await waitFor(job);
  refresh();
  return made;
}
export const showSample = async (name) => {
  const made = await addSample(name);
  if (made?.length) openMovement(itemOf(made[0]).movement);
  return made;
};

export const choose = (ids) => setOwn("chosen", ids);
export const itemOf = (id) => state.items.find((item) => item.id === id);
export const star = async (item, value) => {
  set({ items: replaced(state.items, { ...item, star: item.star === value ? 0 : value }) }); // shown immediately
  await attempt(asStep(api.change(item.id, { star: item.star === value ? 0 : value })));
  refresh();
};
export const remove = async (ids) => { if (ids.length) await attempt(asStep(api.remove(ids))); refresh(); };
let lastStep = Promise.resolve(); // repeated Ctrl+Z runs in sequence
export const undo = () => (lastStep = lastStep.then(() => stepBack(api.undo)));
export const redo = () => (lastStep = lastStep.then(() => stepBack(api.redo)));
async function stepBack(go) {
  while (underWay.size) await Promise.allSettled([...underWay]);
  if (await attempt(go()) && (await attempt(load().then(() => true)))) adoptSettings();
}

// After an undo the sliders show the settings of the variants, if all have the same.
function adoptSettings() {
  const settings = state.items.filter((item) => item.kind === "variant" && item.movement === state.movement && item.star === 0 && item.seed !== null && item.settings.amount !== undefined).map((item) => item.settings);
  if (settings.length && settings.every((one) => JSON.stringify(one) === JSON.stringify(settings[0]))) setOwn("vary", { ...ownOf("vary"), ...settings[0] });
}

// ---- light and dark ----
export function setTheme(theme) {
  localStorage.setItem("freshtake-theme", theme);
  set({ theme });
}
const night = matchMedia("(prefers-color-scheme: dark)");
night.addEventListener("change", () => set({}));
export const isDark = () => (state.theme === "auto" ? night.matches : state.theme === "dark");
export const useDark = () => useStore(isDark);

// ---- toasts ----
let toasts = 0;
export function toast(words, kind = "plain", seconds = kind === "error" ? 12 : 4) {
  words = asSentence(words);
  if (state.toasts.some((one) => one.words === words)) return;
  const id = (toasts += 1);
  set({ toasts: [...state.toasts.slice(-3), { id, words, kind }] });
  setTimeout(() => dismiss(id), seconds * 1000);
}
// The same remark about several files is shown once.
export function noteToast(note) {
  const remark = note.replace(/^[^:]{1,80}: /, ""), before = state.toasts.find((one) => one.kind === "plain" && one.words.endsWith(remark));
  if (before && before.words !== note) set({ toasts: state.toasts.map((one) => (one === before ? { ...one, words: `Several of them: ${remark}` } : one)) });
  else toast(note, "plain", 9);
}
export const dismiss = (id) => set({ toasts: state.toasts.filter((one) => one.id !== id) });
