// What the page knows: the project as the server tells it, and what this window has chosen. One store for all tabs.
//
//   const project = useStore((state) => state.items)     a part of the state; the component is drawn again when it changes
//   set({ tab: "vary" })                                 changes a part
//   choose(ids)                                          the items that are chosen, the same in all tabs
//   await attempt(api.remove(id))                        undefined and a toast when it fails
//   const job = await run("learn", ids, { ... })         starts a task; resolves with the ended job (undefined: not done)

import { useEffect, useRef, useState } from "./vendor/preact-htm.module.js";
import { api } from "./api.js";
import { noteToast, toast } from "./notices.js";

export { dismiss, toast } from "./notices.js";

const KEPT = ["tab", "theme", "chosen", "model", "vary", "kept"]; // over a reload of this window
const PLACE = "freshtake-studio";
const kept = (() => { try { return JSON.parse(sessionStorage.getItem(PLACE)) ?? {}; } catch { return {}; } })();

export const state = {
  ready: false, connected: false, name: "", items: [], jobs: [], presets: {}, undo: null, redo: null, change: 0,
  tab: "library", theme: localStorage.getItem("freshtake-theme") ?? "auto", chosen: [], model: null, vary: {}, kept: {},
  toasts: [], uploads: 0, dropping: false, ...kept,
};
const listeners = new Set();

export function set(changes) {
  Object.assign(state, changes);
  if (Object.keys(changes).some((name) => KEPT.includes(name))) {
    sessionStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, state[name]]))));
  }
  for (const listener of [...listeners]) listener();
}

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

// A value of a tab that outlives leaving the tab and reloading the page: [value, change].
export function useKept(name, start) {
  const value = useStore((now) => now.kept[name]) ?? start;
  return [value, (next) => setKept(name, next)];
}
export const setKept = (name, value) => set({ kept: { ...state.kept, [name]: value } });

// ---- the project ----
export async function load() {
  let project = await api.project();
  while (project.change < state.change) project = await api.project(); // events were faster than the answer
  const over = new Map(state.jobs.filter(isOver).map((job) => [job.id, job]));
  set({ ...project, jobs: project.jobs.map((job) => over.get(job.id) ?? job), ready: true });
  forget();
}

// What was chosen and is no longer there.
function forget() {
  const ids = new Set(state.items.map((item) => item.id));
  const chosen = state.chosen.filter((id) => ids.has(id));
  if (chosen.length !== state.chosen.length) set({ chosen });
}

// `list` with some that are new or have changed; a job that is over never runs again, whatever arrives late.
const merged = (list, some) => {
  const all = new Map(list.map((one) => [one.id, one]));
  for (const one of some) { const before = all.get(one.id); if (!(before?.task && isOver(before) && !isOver(one))) all.set(one.id, one); }
  return [...all.values()];
};
const replaced = (list, one) => merged(list, [one]);
const endings = new Map(); // job id → those who wait for its end

// Messages of the server; those of a moment are shown together, so that a thousand variants do not draw the page as often.
const MOMENT = 60; // milliseconds
let inbox = [];
export function hear(message) {
  inbox.push(message);
  if (inbox.length === 1) setTimeout(hearAll, MOMENT);
}

function hearAll() {
  const messages = inbox, latest = new Map(); // id → the newest item, or null where it is gone
  inbox = [];
  for (const { item, gone } of messages) if (item) latest.set(item.id, item); else if (gone) latest.set(gone, null);
  const jobs = messages.flatMap(({ job }) => job ?? []), changes = {};
  if (latest.size) changes.items = merged(state.items.filter((item) => latest.get(item.id) !== null), [...latest.values()].filter(Boolean));
  if (jobs.length) changes.jobs = merged(state.jobs, jobs);
  const numbers = messages.flatMap(({ change }) => change ?? []);
  if (numbers.length) changes.change = numbers[numbers.length - 1];
  set(changes);
  if ([...latest.values()].includes(null)) forget();
  if (numbers.length) refresh(); // another window may have done it: what can be undone has changed
  jobs.forEach(ended);
}

export const isOver = (job) => ["done", "failed", "cancelled", "interrupted"].includes(job.state);

function ended(job) {
  if (!isOver(job)) return;
  const waiting = endings.get(job.id);
  endings.delete(job.id);
  if (!waiting) return;
  if (["failed", "interrupted"].includes(job.state)) toast(job.error ?? "The work has ended before it was done: start it again.", "error");
  if (job.state === "done" && job.task !== "learn") job.notes?.slice(0, 2).forEach(noteToast); // those of learning stay with the model
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

// ---- doing things ----
export async function attempt(promise) {
  try { return await promise; } catch (error) { toast(error.message, "error"); return undefined; }
}

// Undo and redo are told by the project only, so they are read again after what changes them.
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

// Starts a task; resolves when it has ended: with the job if it was done, otherwise undefined. `onstart(job)` at once.
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

// Sent one after the other in the order of their names (walk_2 before walk_10), so that they are listed in it.
export async function upload(files) {
  const list = [...files].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) || 0);
  list.sort((a, b) => Number(b.name.toLowerCase().endsWith(".asf")) - Number(a.name.toLowerCase().endsWith(".asf"))); // AMC files need it
  if (!list.length) return;
  set({ uploads: state.uploads + list.length });
  const made = [], reading = [], step = list.length > 1 ? newStep() : null;
  for (const file of list) {
    const job = await attempt(api.upload(file, step));
    if (!job) { set({ uploads: state.uploads - 1 }); continue; }
    set({ jobs: replaced(state.jobs, job) });
    reading.push(waitFor(job).then((over) => {
      made.push(...(over.made ?? []));
      set({ uploads: state.uploads - 1 });
      if (made.length) choose([...made]);
    }));
  }
  await Promise.all(reading);
  refresh();
}

// Takes of a sample; resolves with their ids.
export async function addSample(name) {
  const job = await attempt(api.sample(name));
  if (!job) return undefined;
  const { made } = await waitFor(job);
  refresh();
  return made;
}

export const choose = (ids) => set({ chosen: ids });
export const itemOf = (id) => state.items.find((item) => item.id === id);
export const star = async (item, value) => {
  set({ items: replaced(state.items, { ...item, star: item.star === value ? 0 : value }) }); // shown at once
  await attempt(api.change(item.id, { star: item.star === value ? 0 : value }));
  refresh();
};
export const remove = async (ids) => { if (ids.length) await attempt(api.remove(ids)); refresh(); };
export const undo = () => stepBack(api.undo);
export const redo = () => stepBack(api.redo);
async function stepBack(go) {
  if (await attempt(go()) && (await attempt(load().then(() => true)))) adoptSettings();
}

// The model that variants are made of: the one that was chosen, or the newest.
export const variationModels = (items) => items.filter((item) => item.kind === "model" && (item.facts.method ?? "variation") === "variation");
export const currentModel = (items, id) => { const models = variationModels(items); return models.find((one) => one.id === id) ?? models[models.length - 1] ?? null; };

// After an undo the sliders show by which settings the variants are made now, where all have the same.
function adoptSettings() {
  const model = currentModel(state.items, state.model);
  const settings = state.items.filter((item) => item.kind === "variant" && item.parent === model?.id && item.star === 0).map((item) => item.settings);
  if (settings.length && settings.every((one) => JSON.stringify(one) === JSON.stringify(settings[0]))) set({ vary: { ...state.vary, ...settings[0] } });
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
