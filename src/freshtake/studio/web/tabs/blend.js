// A pad with the classes at its corners acts on a motion that runs; what the pad did can be recorded.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { corners, padView, padWeights } from "../pad.js";
import { ModelSelect, SampleButton, TakePicker, useChosenModel, useModels, useMotions } from "../picking.js";
import { run, setKept, toast, useKept } from "../state.js";
import { Button, Empty, LiveViewport, Note, Panel, Row, Slider, Split, TaskButton, TextField } from "../ui.js";

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

function Learn({ takes, open = false, onlearned }) {
  const [classes, setClasses] = useKept("blend classes", [{ name: "walk", ids: [] }, { name: "run", ids: [] }]), [name, setName] = useKept("blend name", "blend");
  const put = (k, change) => setClasses(classes.map((one, n) => (n === k ? { ...one, ...change } : one)));
  const named = Object.fromEntries(classes.filter((one) => one.ids.length).map((one) => [one.name, one.ids]));
  const words = Object.keys(named).length < 2 ? "choose takes of at least two movements" : new Set(classes.map((one) => one.name)).size < classes.length ? "every movement needs a different name" : "";
  return html`<${Panel} title="Learn movements" open=${open}>
    ${classes.map((one, k) => html`<div key=${k} class="class-box"><${Row}><${TextField} label=${`Movement ${k + 1}`} value=${one.name} onchange=${(text) => put(k, { name: text.trim() || `movement ${k + 1}` })} />
      ${classes.length > 2 && html`<${Button} kind="quiet" label=${`remove movement ${one.name}`} onclick=${() => setClasses(classes.filter((_, n) => n !== k))}>✕<//>`}<//>
      <${TakePicker} label="Takes" items=${takes} ids=${one.ids} onchange=${(ids) => put(k, { ids })} /></div>`)}
    <${Row}><${Button} disabled=${classes.length > 7} onclick=${() => setClasses([...classes, { name: `movement ${classes.length + 1}`, ids: [] }])}>Add a movement<//>
      <${TextField} label="Name" value=${name} onchange=${(text) => setName(text.trim() || "blend")} /><//>
    <${TaskButton} task="blend_learn" items=${Object.values(named).flat()} settings=${{ classes: named, name }} words="Learn" disabled=${Boolean(words)} title=${words} ondone=${onlearned} />
  <//>`;
}

// What the pad did, from the start of a recording on.
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
    stop() { const made = { course: course.current, seconds: Math.max((performance.now() - began) / 1000, 0.5) }; setBegan(null); return made; },
  };
}

function Live({ model }) {
  const { classes } = model.facts, places = useMemo(() => corners(classes.length), [classes.length]);
  const [at, setAt] = useKept(`blend at ${model.id}`, places[0]);
  const [turn, setTurn] = useState(0), [speed, setSpeed] = useState(1), [busy, setBusy] = useState(false), [frames, setFrames] = useState(0);
  const { values } = padWeights(places, at);
  const weights = Object.fromEntries(classes.map((name, k) => [name, values[k]]));
  const controls = { weights, turn, speed };
  const recording = useRecording(controls, padWeights(places, at).at);
  const record = async () => {
    if (!recording.on) { recording.start(); return; }
    const made = recording.stop();
    setBusy(true);
    const done = await run("blend_sample", [model.id], { ...made, name: `${model.name} recorded` });
    setBusy(false);
    if (done) toast(`${made.seconds.toFixed(1)} s saved to the library.`, "good");
  };
  const side = html`<${Panel} title="Blend">
      <${Pad} classes=${classes} at=${at} onmove=${setAt} trail=${recording.trail} />
      <${Note}>Drag the point, or use the arrow keys and 1 to ${classes.length}.<//>
      <${Slider} label="Speed" value=${speed} min=${0.5} max=${1.5} step=${0.05} format=${(x) => `${x.toFixed(2)} ×`} oninput=${setSpeed} onchange=${setSpeed} />
      <${Slider} label="Turn" value=${turn} min=${-90} max=${90} step=${5} format=${(x) => (x ? `${Math.abs(x)}°/s ${x > 0 ? "left" : "right"}` : "straight ahead")} oninput=${setTurn} onchange=${setTurn} disabled=${model.facts.travels === false} />
      <${Row}><${Button} kind=${recording.on ? "danger" : "plain"} pressed=${recording.on} busy=${busy} onclick=${record}>${recording.on ? "■ Stop and save" : "● Record"}<//>
        <${Button} onclick=${() => { setAt([0, 0]); setTurn(0); setSpeed(1); }}>Center<//><//>
      ${model.facts.warning && html`<${Note} kind="warn">${model.facts.warning}.<//>`}
    <//>`;
  return { side, stage: html`<${LiveViewport} key=${model.id} model=${model.id} controls=${controls} onlive=${(number) => { if (number % 30 === 0) setFrames(number); }} start=${{ follow: true }} label=${`live: ${percent(weights)}`}>
    <output class="live-words" data-frames=${frames}>${percent(weights)}</output><//>` };
}

function Tab() {
  const takes = useMotions(), models = useModels("density");
  const [model, choose] = useChosenModel("blend model", models);
  if (!model) {
    return html`<${Split} side=${html`<${Learn} takes=${takes} open=${true} onlearned=${(job) => choose(job.made[0])} />`}>
      <div class="stage"><div class="stage-over"><${Empty} title="Learn some movements first" words="Name two or more movements, such as walk, run and skip, and choose takes of each on the left. A pad then blends between them while the motion runs.">
        <${SampleButton} names=${["walk", "run", "skip"]} words="Try it with samples: walking, running, skipping" onadded=${(made) => setKept("blend classes", ["walk", "run", "skip"].map((name, k) => ({ name, ids: made[k] })))} /><//></div></div><//>`;
  }
  return html`<${Running} key=${model.id} model=${model} models=${models} choose=${choose} takes=${takes} />`;
}

function Running({ model, models, choose, takes }) {
  const { side, stage } = Live({ model });
  return html`<${Split} label="blend" side=${html`${models.length > 1 && html`<${Panel}><${ModelSelect} models=${models} value=${model} onchange=${choose} /><//>`}
    ${side}<${Learn} takes=${takes} onlearned=${(job) => choose(job.made[0])} />`}>${stage}<//>`;
}

export default { name: "blend", label: "Blend", Tab };
