// A pad with the classes at its corners steers a running motion; the steering can be recorded.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { corners, padView, padWeights } from "../pad.js";
import { counted, useMovement, useOwnModels } from "../movements.js";
import { SampleButton, STICK, takesOf, useBodies, useGamepad, useModels } from "../picking.js";
import { itemOf, load, openMovement, run, toast, useKept, useOwn, useStore } from "../state.js";
import { Button, Empty, LiveViewport, Note, Panel, Row, Slider, Split, TaskButton } from "../ui.js";

const COLORS = ["#3b82d6", "#d9534f", "#35a264", "#e0902f", "#8a63c9", "#2b9bb5", "#c25b8a", "#7f8c3a"];
const percent = (weights) => Object.entries(weights).map(([name, weight]) => `${name} ${Math.round(100 * weight)} %`).join(", ");

function Pad({ classes, at, onmove, trail }) {
  const places = useMemo(() => corners(classes.length), [classes.length]);
  const view = padView(places), area = useRef(null), held = useRef(false);
  const put = (event) => {
    const box = area.current.getBoundingClientRect();
    onmove([view.left + ((event.clientX - box.left) / box.width) * view.wide, -view.top - ((event.clientY - box.top) / box.height) * view.tall]);
  };
  const key = (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const number = Number(event.key);
    if (by) onmove([at[0] + 0.05 * by[0], at[1] + 0.05 * by[1]]);
    else if (number >= 1 && number <= classes.length) onmove(places[number - 1]);
    else if (event.key === "0") onmove([0, 0]);
    else return;
    event.preventDefault();
  };
  const weights = padWeights(places, at);
  const shares = Object.fromEntries(classes.map((name, k) => [name, weights.values[k]]));
  const [x, y] = weights.at;
  return html`<svg class="pad own-keys" viewBox=${`${view.left} ${view.top} ${view.wide} ${view.tall}`} ref=${area} tabindex="0" role="slider" aria-label="blend of the movements" aria-valuemin="0" aria-valuemax="100"
      aria-valuenow=${Math.round(100 * Math.max(...weights.values))} aria-valuetext=${percent(shares)} onKeyDown=${key}
      onPointerDown=${(event) => { held.current = true; area.current.setPointerCapture(event.pointerId); put(event); }}
      onPointerMove=${(event) => { if (held.current) put(event); }} onPointerUp=${() => { held.current = false; }} onPointerCancel=${() => { held.current = false; }}>
    <polygon class="pad-area" points=${places.map(([px, py]) => `${px},${-py}`).join(" ")} />
    ${places.map(([px, py], k) => html`<line key=${`l${k}`} x1=${px} y1=${-py} x2=${x} y2=${-y} stroke=${COLORS[k % COLORS.length]} stroke-width=${0.008 + 0.05 * weights.values[k]} stroke-linecap="round" />`)}
    ${trail.length > 1 && html`<polyline class="pad-trail" points=${trail.map(([px, py]) => `${px},${-py}`).join(" ")} />`}
    ${places.map(([px, py], k) => html`<g key=${k}><circle cx=${px} cy=${-py} r=${0.05 + 0.06 * weights.values[k]} fill=${COLORS[k % COLORS.length]} />
      <text class="pad-name" x=${px < -0.4 ? view.left + 0.05 : px > 0.4 ? view.left + view.wide - 0.05 : px} y=${-py + (py < 0 ? 0.22 : -0.15)} text-anchor=${px < -0.4 ? "start" : px > 0.4 ? "end" : "middle"}>${classes[k]} ${Math.round(100 * weights.values[k])} %</text></g>`)}
    <circle class="pad-point" cx=${x} cy=${-y} r="0.085" />
  </svg>`;
}

// The movements that are blended: this one and others of the same skeleton.
function Learn({ open = false }) {
  const { item: here } = useMovement(), items = useStore((now) => now.items);
  const bodies = useBodies(here).filter((one) => !here || one.facts.signature === here.facts.signature);
  const [ids, setIds] = useOwn("blend of", here ? [here.id] : []);
  const chosen = bodies.filter((one) => ids.includes(one.id)), classes = Object.fromEntries(chosen.map((one) => [one.name, takesOf(items, one.id)]));
  const words = chosen.length < 2 ? "choose at least two movements" : "";
  const onlearned = async (job) => { await load(); openMovement(itemOf(job.made[0])?.movement, "blend"); };
  return html`<${Panel} title="Blend movements" open=${open}>
    <fieldset class="picker own-keys"><legend>Movements</legend><div class="picker-list">${bodies.map((one) => html`<label key=${one.id}><input type="checkbox" checked=${ids.includes(one.id)}
      onChange=${(event) => setIds(event.target.checked ? [...ids, one.id] : ids.filter((id) => id !== one.id))} /><span>${one.name}</span><span class="facts">${counted(takesOf(items, one.id).length, "take")}</span></label>`)}</div></fieldset>
    ${bodies.length < 2 && html`<${Note}>Drop takes of another movement on the same skeleton, such as a run next to a walk.<//>`}
    <${TaskButton} task="blend_learn" items=${Object.values(classes).flat()} settings=${{ classes, name: chosen.map((one) => one.name).join(" + ").slice(0, 60) || "blend" }} words="Learn the blend" disabled=${Boolean(words)} title=${words} ondone=${onlearned} />
  <//>`;
}

// The movements of the point since a recording started.
function useRecording(controls, at) {
  const [began, setBegan] = useState(null), course = useRef([]), trail = useRef([]), newest = useRef();
  newest.current = controls;
  const moment = () => [(performance.now() - began) / 1000, newest.current.weights, newest.current.turn, newest.current.speed];
  useEffect(() => {
    if (began === null) return;
    course.current.push(moment());
    trail.current.push(at);
  }, [began, JSON.stringify(controls)]);
  return {
    on: began !== null, trail: trail.current,
    start() { course.current = []; trail.current = []; setBegan(performance.now()); },
    stop() { const recorded = { course: course.current, seconds: Math.max((performance.now() - began) / 1000, 0.5) }; setBegan(null); return recorded; },
  };
}

function Live({ model }) {
  const { classes } = model.facts, places = useMemo(() => corners(classes.length), [classes.length]);
  const [at, setAt] = useKept(`blend at ${model.id}`, places[0]);
  const [turn, setTurn] = useState(0), [speed, setSpeed] = useState(1), [busy, setBusy] = useState(false), [frames, setFrames] = useState(0);
  useGamepad(true, ({ axes: [x = 0, y = 0, turning = 0], pressed, held }) => { // the left stick is the point, the right one turns, buttons are corners
    if (Math.hypot(x, y) > STICK) setAt([x, -y]);
    if (places[pressed]) setAt(places[pressed]);
    const steered = Math.abs(turning) > STICK ? Math.round(-turning * 18) * 5 : 0;
    if (steered !== held.turn && model.facts.travels !== false) { held.turn = steered; setTurn(steered); }
  });
  const { values } = padWeights(places, at);
  const weights = Object.fromEntries(classes.map((name, k) => [name, values[k]]));
  const controls = { weights, turn, speed };
  const recording = useRecording(controls, padWeights(places, at).at);
  const record = async () => {
    if (!recording.on) { recording.start(); return; }
    const recorded = recording.stop();
    setBusy(true);
    const done = await run("blend_sample", [model.id], { ...recorded, name: `${model.name} recorded` });
    setBusy(false);
    if (done) toast(`${recorded.seconds.toFixed(1)} s recorded and saved with this movement.`, "good");
  };
  const side = html`<${Panel} title="Blend">
      <${Pad} classes=${classes} at=${at} onmove=${setAt} trail=${recording.trail} />
      <${Note}>Drag the point, or use the arrow keys and 1 to ${classes.length}, or a gamepad.<//>
      <${Slider} label="Speed" value=${speed} min=${0.5} max=${1.5} step=${0.05} format=${(x) => `${x.toFixed(2)} ×`} oninput=${setSpeed} onchange=${setSpeed} />
      <${Slider} label="Turn" value=${turn} min=${-90} max=${90} step=${5} format=${(x) => (x ? `${Math.abs(x)}°/s ${x > 0 ? "left" : "right"}` : "straight ahead")} oninput=${setTurn} onchange=${setTurn} disabled=${model.facts.travels === false} />
      <${Row}><${Button} kind=${recording.on ? "danger" : "plain"} pressed=${recording.on} busy=${busy} onclick=${record}>${recording.on ? "■ Stop and save" : "● Record"}<//>
        <${Button} onclick=${() => { setAt([0, 0]); setTurn(0); setSpeed(1); }}>Center<//><//>
      ${model.facts.warning && html`<${Note} kind="warn">${model.facts.warning}.<//>`}
    <//>`;
  return { side, stage: html`<${LiveViewport} key=${model.id} model=${model.id} controls=${controls} onlive=${(number) => { if (number % 30 === 0) setFrames(number); }} start=${{ follow: true }} label=${`live: ${percent(weights)}`}>
    <output class="live-words" data-frames=${frames}>${percent(weights)}</output><//>` };
}

// A blend is a separate movement, which can be opened from the movements it blends.
function Tab() {
  const movement = useMovement(), own = useOwnModels("density"), model = own[own.length - 1];
  const others = useModels("density").filter((one) => one.movement !== movement.id && Object.values(one.settings?.examples ?? {}).flat().some((id) => movement.takes.some((take) => take.id === id)));
  if (model) return html`<${Running} key=${model.id} model=${model} />`;
  return html`<${Split} label="blend" side=${html`<${Learn} open=${true} />`}>
    <div class="stage"><div class="stage-over"><${Empty} title="Blend this movement with others" words="Choose two or more movements, such as walk, run and skip. A pad then blends between them while the motion runs.">
      ${others.map((one) => html`<${Button} key=${one.id} kind="primary" onclick=${() => openMovement(one.movement, "blend")}>Open ${one.name}<//>`)}
      ${!others.length && html`<${SampleButton} names=${["walk", "run", "skip"]} words="Try it with samples: walking, running, skipping" then=${async (made) => {
        const done = await run("blend_learn", made.flat(), { classes: Object.fromEntries(["walk", "run", "skip"].map((name, k) => [name, made[k]])), name: "walk + run + skip" });
        if (done) { await load(); openMovement(itemOf(done.made[0])?.movement, "blend"); }
      }} />`}<//></div></div><//>`;
}

function Running({ model }) {
  const { side, stage } = Live({ model });
  return html`<${Split} label="blend" side=${side}>${stage}<//>`;
}

export default { name: "blend", label: "Blend", Tab, kinds: ["body"], shows: ["blend_learn", "blend_sample"] };
