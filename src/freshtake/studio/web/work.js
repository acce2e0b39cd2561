// Jobs and their results: progress, buttons that start tasks, exports, and the character that motions are shown on.

import { html, useEffect, useState } from "./vendor/preact-htm.module.js";
import { api } from "./api.js";
import { attempt, isOver, keepPreset, run, toast, useKept, useStore } from "./state.js";
import { Button, Select } from "./controls.js";

export const useJobs = (task) => useStore((now) => now.jobs).filter((job) => !isOver(job) && (!task || job.task === task));

const TASKS = {
  read: "Reading", samples: "Adding samples", repair: "Repairing", cut: "Cutting", learn: "Learning", vary: "Making variants", again: "Updating variants", redraw: "Redrawing the stretch", export: "Exporting",
  draw: "Saving drawings", style_learn: "Learning a style", style_apply: "Applying the style", blend_learn: "Learning the blend", blend_sample: "Saving the recording",
  texture_learn: "Learning the texture", texture_sample: "Saving", evaluate: "Evaluating", crowd: "Making the crowd", noise: "Making baselines", study_design: "Preparing the study",
};
export const taskWords = (task) => TASKS[task] ?? task;

function left(seconds) {
  if (seconds === null || seconds === undefined) return "";
  return seconds < 1.5 ? "a moment left" : seconds < 90 ? `${Math.round(seconds)} s left` : `${Math.round(seconds / 60)} min left`;
}

export function Progress({ job, cancel = true }) {
  const share = job.of ? Math.min(job.done / job.of, 1) : null;
  const task = taskWords(job.task), phase = job.state === "waiting" ? "waiting" : job.phase;
  const same = phase.toLowerCase().startsWith(task.split(" ")[0].toLowerCase()); // "Reading: reading walk_1" says it twice
  const words = same ? phase[0].toUpperCase() + phase.slice(1) : [task, phase].filter(Boolean).join(": ");
  const count = job.of > 1 && Number.isInteger(job.of) && !/\d of \d/.test(phase) ? `${Math.floor(job.done)} of ${job.of}` : "";
  return html`<div class="progress" role="status">
    <span class="progress-words"><b>${words}</b><span>${[count, left(job.seconds_left)].filter(Boolean).join(" · ")}</span></span>
    <progress value=${share === null ? undefined : share} max="1" aria-label=${words}></progress>
    ${cancel && html`<button type="button" class="button quiet" aria-label=${`cancel: ${words}`} onclick=${() => attempt(api.cancel(job.id))}>Cancel</button>`}
  </div>`;
}

// A button that starts a task and shows its progress; `ondone(job)` when it has succeeded.
export function TaskButton({ task, items, settings, words, kind = "primary", disabled, ondone, title }) {
  const [id, setId] = useState(null), jobs = useStore((now) => now.jobs), wanted = JSON.stringify(items);
  // Jobs belong to the project: they are still shown after leaving a tab and coming back.
  const job = jobs.find((one) => one.id === id) ?? jobs.find((one) => one.task === task && !isOver(one) && JSON.stringify(one.items) === wanted);
  if (job && !isOver(job)) return html`<${Progress} job=${job} />`;
  const start = async () => {
    const done = await run(task, items, settings, (begun) => setId(begun.id));
    if (done) ondone?.(done);
  };
  return html`<${Button} kind=${kind} disabled=${disabled} title=${title} onclick=${start}>${words}<//>`;
}

const FOR = { fbx: "Maya, Unreal, Unity, MotionBuilder", bvh: "every animation program", glb: "Blender, game engines, web", usd: "Houdini, Omniverse, Maya", npz: "Python", pack: "12 new loops that fit together, with a preview page" };
const FORMATS = [
  ["fbx", "FBX"], ["bvh", "BVH"], ["glb", "glTF (GLB)"],
  ["usd", "USD"], ["npz", "NumPy arrays"], ["pack", "Pack of loops"],
];

export function download(id) {
  const link = document.createElement("a");
  link.href = api.exportAddress(id);
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

const MOST_SKINNED = 60; // figures that can be shown with a skin at the same time
const isCharacter = (item) => Boolean(item.facts?.character);

// The character whose skin is shown, and the control that chooses it: [id or null, vnode].
export function useCharacter(figures) {
  const characters = useStore((now) => now.items).filter(isCharacter), [chosen, choose] = useKept("shown on", "");
  const known = characters.some((item) => item.id === chosen) && figures <= MOST_SKINNED;
  return [known ? chosen : null, characters.length > 0 && html`<${Select} label="Shown on" value=${known ? chosen : ""} options=${[["", "Its own skeleton"], ...characters.map((item) => [item.id, item.name])]} onchange=${choose} hint="the body that wears the motion" />`];
}

// One click exports; the file is downloaded when it is ready. Format and character are stored in the project.
let writable = null; // formats of this installation; requested once
function useFormats() {
  const [known, setKnown] = useState(writable);
  useEffect(() => { if (!writable) api.get("formats").then((list) => { writable = list; setKnown(list); }, () => {}); }, []);
  return FORMATS.filter(([name]) => !known || known.includes(name));
}

export function ExportBar({ ids: items, what = "", settings = {} }) {
  const formats = useFormats();
  const preset = useStore((now) => now.presets.export) ?? {}, all = useStore((now) => now.items);
  const characters = all.filter((item) => item.kind === "character" || isCharacter(item));
  const format = preset.format ?? "fbx", character = characters.some((item) => item.id === preset.character) ? preset.character : null;
  const keep = (changes) => keepPreset("export", { format, character, ...changes });
  const ondone = (job) => {
    job.made.forEach(download);
    toast(format === "pack" ? "A pack of new loops is exported." : `${items.length === 1 ? "One motion" : `${items.length} motions`} exported.`, "good");
  };
  return html`<div class="export">
    <${Select} label="Format" value=${format} options=${formats} onchange=${(next) => keep({ format: next })} />
    <p class="note">For ${FOR[format]}.</p>
    ${characters.length > 0 && html`<${Select} label="On" value=${character ?? ""} options=${[["", "as recorded"], ...characters.map((item) => [item.id, item.name])]} onchange=${(next) => keep({ character: next || null })}
      hint="bones are matched automatically, by name and position" />`}
    <${TaskButton} task="export" items=${items} settings=${{ format, ...(character ? { character } : {}), ...settings }} disabled=${!items.length} ondone=${ondone}
      words=${format === "pack" ? "Export a pack" : items.length ? `Export ${items.length} ${what}` : `Export ${what}`} title=${items.length ? "" : "star what you like first"} />
  </div>`;
}
