// The shell: header with tabs, the current tab, running jobs, errors, files dropped anywhere.

import { html, render, useEffect, useErrorBoundary, useRef } from "./vendor/preact-htm.module.js";
import { Button, Empty, Progress, useJobs } from "./ui.js";
import { connect, dismiss, itemOf, redo, set, setTheme, state, undo, upload, useDark, useStore } from "./state.js";
import { Rail, useMovement } from "./movements.js";
import { startRouting } from "./routing.js";
import takes, { ChooseFiles } from "./tabs/takes.js";
import vary from "./tabs/vary.js";
import curves from "./tabs/curves.js";
import network from "./tabs/network.js";
import draw from "./tabs/draw.js";
import style from "./tabs/style.js";
import blend from "./tabs/blend.js";
import texture from "./tabs/texture.js";
import compare from "./tabs/compare.js";
import study from "./tabs/study.js";
import crowd from "./tabs/crowd.js";

// `kinds`: the kinds of movements a tab is for; without it, the tab is independent of movements. `when(items)`: whether it is shown.
const TABS = [takes, vary, curves, network, style, blend, texture, compare, study, crowd, draw];
const suits = (tab, kind) => !tab.kinds || tab.kinds.includes(kind);

// Never shows a deleted movement, or a tab that its kind does not have.
function tidy({ items, movement, tab }) {
  const known = TABS.find((one) => one.name === tab) ?? takes, chosen = items.find((item) => item.id === movement && item.kind === "movement");
  if (!known.kinds) return known.name !== tab ? { tab: known.name } : movement === null ? null : { movement: null, last: movement };
  const movements = items.filter((item) => item.kind === "movement"), next = chosen ?? movements.find((item) => item.id === state.last) ?? movements[movements.length - 1] ?? null;
  const fits = !next || suits(known, next.facts.what) ? known : takes;
  return (next?.id ?? null) !== movement || fits.name !== tab ? { movement: next?.id ?? null, tab: fits.name } : null;
}
const DETACHED = "The connection to the studio's server is lost. The page keeps trying to reconnect; if that does not help, restart the studio.";

const ICONS = {
  undo: "M7 4 2.5 8.5 7 13v-3h4.5a3.2 3.2 0 0 1 0 6.5H8V18h3.5a4.8 4.8 0 0 0 0-9.7H7z",
  redo: "M13 4l4.5 4.5L13 13v-3H8.5a3.2 3.2 0 0 0 0 6.5H12V18H8.5a4.8 4.8 0 0 1 0-9.7H13z",
  sun: "M10 6a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM9.2 1h1.6v3H9.2zM9.2 16h1.6v3H9.2zM1 9.2h3v1.6H1zM16 9.2h3v1.6h-3zM3.1 4.2l1.1-1.1 2.1 2.1-1.1 1.1zM13.7 14.8l1.1-1.1 2.1 2.1-1.1 1.1zM3.1 15.8l2.1-2.1 1.1 1.1-2.1 2.1zM13.7 5.2l2.1-2.1 1.1 1.1-2.1 2.1z",
  moon: "M8 2.5a7.5 7.5 0 1 0 9.5 9.5A6.5 6.5 0 0 1 8 2.5z",
};
const Icon = ({ name }) => html`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d=${ICONS[name]} fill="currentColor" /></svg>`;

function Header() {
  const tab = useStore((now) => now.tab), back = useStore((now) => now.undo), forth = useStore((now) => now.redo);
  const bar = useRef(null), dark = useDark(), last = useStore((now) => itemOf(now.movement ?? now.last)?.facts.what);
  const offered = useStore((now) => TABS.filter((one) => one.when?.(now.items)).map((one) => one.name).join());
  const tabs = TABS.filter((one) => (one.when ? offered.split(",").includes(one.name) : last ? suits(one, last) : [takes, draw].includes(one)));
  const move = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = (tabs.findIndex((one) => one.name === tab) + by + tabs.length) % tabs.length;
    set({ tab: tabs[at].name });
    bar.current.children[at].focus();
    event.preventDefault();
  };
  return html`<header class="top">
    <a class="brand" href="#main" title="to the content"><svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><g fill="none" stroke-linecap="round" stroke-width="3.4"><path d="M5 22c5-14 7 6 11-4s5-9 10-8" stroke="#4a93e6" /><path d="M5 24c5-9 8 5 12-3s5-6 9-7" stroke="#35a264" /></g></svg><span>freshtake</span></a>
    <nav class="tabs" role="tablist" aria-label="parts of the studio" ref=${bar} onKeyDown=${move}>
      ${tabs.map((one) => html`<button type="button" role="tab" key=${one.name} id=${`tab-${one.name}`} aria-controls="tab-panel" aria-selected=${String(one.name === tab)}
        tabindex=${one.name === tab ? 0 : -1} onclick=${() => set({ tab: one.name })}>${one.label}</button>`)}
    </nav>
    <div class="top-tools">
      <${Button} kind="quiet icon" label=${back ? `undo: ${back}` : "nothing to undo"} title=${back ? `Undo: ${back} (Ctrl+Z)` : "nothing to undo"} disabled=${!back} onclick=${undo}><${Icon} name="undo" /><//>
      <${Button} kind="quiet icon" label=${forth ? `redo: ${forth}` : "nothing to redo"} title=${forth ? `Redo: ${forth} (Ctrl+Shift+Z)` : "nothing to redo"} disabled=${!forth} onclick=${redo}><${Icon} name="redo" /><//>
      <${Button} kind="quiet icon" label=${dark ? "light page" : "dark page"} title=${dark ? "light (d)" : "dark (d)"} onclick=${() => setTheme(dark ? "light" : "dark")}><${Icon} name=${dark ? "sun" : "moon"} /><//>
    </div>
  </header>`;
}

function Jobs() {
  const tab = useStore((now) => now.tab), shows = TABS.find((one) => one.name === tab)?.shows ?? [];
  const movement = useStore((now) => now.movement);
  const jobs = useJobs().filter((job) => !(shows.includes(job.task) && (!job.movement || job.movement === movement)));
  const warming = useStore((now) => now.warming);
  if (!jobs.length && warming) return html`<div class="jobs" aria-label="work under way"><p class="note" role="status">Preparing once for this computer (${warming.step}), about ${Math.max(1, Math.round(warming.seconds_left))} s left. You can work meanwhile.</p></div>`;
  if (!jobs.length) return null;
  const running = jobs.filter((job) => job.state === "running"), shown = (running.length ? running : jobs).slice(0, 3);
  return html`<div class="jobs" aria-label="work under way">${shown.map((job) => html`<${Progress} key=${job.id} job=${job} />`)}
    ${jobs.length > shown.length && html`<span class="more">${jobs.length - shown.length} waiting</span>`}</div>`;
}

function Toasts() {
  const toasts = useStore((now) => now.toasts);
  return html`<div class="toasts" role="alert" aria-live="assertive">${toasts.map((one) => html`<div key=${one.id} class=${`toast toast-${one.kind}`}>
    <p>${one.words}</p><button type="button" aria-label="dismiss" onclick=${() => dismiss(one.id)}>✕</button></div>`)}</div>`;
}

function Shown() {
  const name = useStore((now) => now.tab), ready = useStore((now) => now.ready), movement = useStore((now) => now.movement);
  const [failed, again] = useErrorBoundary((error) => console.error(error));
  useEffect(() => { if (failed) again(); }, [name, movement]);
  const { Tab } = TABS.find((one) => one.name === name) ?? TABS[0];
  if (!ready) return html`<div class="opening" role="status" aria-label="opening the project"><i></i><i></i><i></i></div>`;
  if (failed) return html`<div class="stage"><div class="stage-over" role="alert"><${Empty} title="Something went wrong in this tab" words="Your work is safe. Try again, or reload the page."><${Button} onclick=${again}>Try again<//><//></div></div>`;
  return html`<${Tab} key=${`${name} ${movement}`} />`; // another movement starts with a new component
}

// Describes the page for screen readers.
function Heading() {
  const { item } = useMovement(), tab = useStore((now) => now.tab), name = useStore((now) => now.name);
  return html`<h1 class="unseen">${[item?.name ?? name, TABS.find((one) => one.name === tab)?.label].filter(Boolean).join(": ") || "freshtake studio"}</h1>`;
}

function useDropping() {
  useEffect(() => {
    let depth = 0;
    const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const on = {
      dragenter(event) { if (files(event)) { depth += 1; set({ dropping: true }); event.preventDefault(); } },
      dragover(event) { if (files(event)) event.preventDefault(); },
      dragleave(event) { if (files(event) && (depth -= 1) <= 0) { depth = 0; set({ dropping: false }); } },
      drop(event) {
        if (!files(event)) return;
        event.preventDefault();
        depth = 0;
        set({ dropping: false });
        upload(event.dataTransfer.files);
      },
      keydown(event) {
        if (!(event.ctrlKey || event.metaKey) || event.target.closest?.("input[type=text], input[type=number], textarea")) return;
        const key = event.key.toLowerCase();
        if (key === "z") { event.preventDefault(); (event.shiftKey ? redo : undo)(); } else if (key === "y") { event.preventDefault(); redo(); }
      },
    };
    for (const [type, act] of Object.entries(on)) window.addEventListener(type, act);
    return () => { for (const [type, act] of Object.entries(on)) window.removeEventListener(type, act); };
  }, []);
  return useStore((now) => now.dropping);
}

function App() {
  const dropping = useDropping(), connected = useStore((now) => now.connected), ready = useStore((now) => now.ready), tab = useStore((now) => now.tab);
  document.documentElement.dataset.theme = useDark() ? "dark" : "light";
  return html`<${Header} />
    ${ready && !connected && html`<p class="detached" role="alert">${DETACHED}</p>`}
    <div class="work">${ready && html`<${Rail}><${ChooseFiles}>Add files …<//><//>`}
      <main id="main" tabindex="-1"><${Heading} /><section class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${tab}`}><${Shown} /></section></main></div>
    <${Jobs} />
    <${Toasts} />
    ${dropping && html`<div class="drop" aria-hidden="true"><p>Drop takes, characters or models</p></div>`}`;
}

const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
connect();
startRouting(tidy);
window.studio = { state, set };
