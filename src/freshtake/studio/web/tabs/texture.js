// Endless playback of one take or mesh: the jump map with the cursor running on it, steered by keys or a gamepad.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { meshPlayer } from "../mesh_player.js";
import { gamepadNow, ModelSelect, penOf, SampleButton, STICK, TakePicker, useChosenModel, useFrames, useGamepad, useMotions, useSize } from "../picking.js";
import { useMovement, useOwnModels } from "../movements.js";
import { isDark, run, toast, useKept, useOwn, useStore } from "../state.js";
import { Button, Empty, LiveViewport, Note, NumberField, Panel, Row, Segmented, Slider, Split, TaskButton, Toggle, Viewport, three } from "../ui.js";

const NEAR = 4; // frames that playback at another tempo may skip without counting as a jump
const SHOWN = 1.2; // seconds a jump stays visible
const TURNED = 90; // degrees per second while a key or stick is held

// ---- the map ----
// `live.current` is { frame, jumps: [{ from, to, when }] }, written by the stream and read on every screen frame.
function JumpMap({ model, about, live }) {
  const [place, wide, tall] = useSize(), canvas = useRef(null), picture = useRef(null);
  const [, drawn] = useState(0);
  useStore((now) => now.theme);
  useEffect(() => {
    picture.current = null;
    const image = new Image();
    image.onload = () => { picture.current = image; drawn((n) => n + 1); };
    image.src = `/api/texture/${model.id}/map.png`;
    return () => { image.onload = null; };
  }, [model.id]);
  useFrames(() => {
    const size = Math.min(wide, tall);
    if (size < 20) return;
    const pen = penOf(canvas.current, size, size), scale = size / about.frames, now = performance.now() / 1000, dark = isDark();
    if (picture.current) { pen.imageSmoothingEnabled = true; pen.drawImage(picture.current, 0, 0, size, size); }
    pen.lineWidth = 1;
    pen.strokeStyle = dark ? "#ffffff26" : "#00000022";
    about.bounds.slice(1, -1).forEach((bound) => { pen.beginPath(); pen.moveTo(bound * scale, 0); pen.lineTo(bound * scale, size); pen.moveTo(0, bound * scale); pen.lineTo(size, bound * scale); pen.stroke(); });
    const { frame, jumps } = live.current;
    live.current.jumps = jumps.filter((one) => now - one.when < SHOWN);
    for (const { from, to, when } of live.current.jumps) {
      pen.globalAlpha = 1 - (now - when) / SHOWN;
      pen.strokeStyle = "#e0902f";
      pen.lineWidth = 2;
      pen.beginPath(); pen.moveTo(from * scale, from * scale); pen.lineTo(to * scale, from * scale); pen.lineTo(to * scale, to * scale); pen.stroke();
      pen.fillStyle = "#e0902f";
      pen.beginPath(); pen.arc(to * scale, from * scale, 5, 0, 7); pen.fill();
    }
    pen.globalAlpha = 1;
    if (frame === null) return;
    pen.strokeStyle = dark ? "#ffffff55" : "#00000040";
    pen.lineWidth = 1;
    pen.beginPath(); pen.moveTo(frame * scale, 0); pen.lineTo(frame * scale, size); pen.moveTo(0, frame * scale); pen.lineTo(size, frame * scale); pen.stroke();
    pen.fillStyle = "#d9534f";
    pen.strokeStyle = dark ? "#181d23" : "#fff";
    pen.lineWidth = 2;
    pen.beginPath(); pen.arc(frame * scale, frame * scale, 6, 0, 7); pen.fill(); pen.stroke();
    canvas.current.dataset.frame = String(frame);
  });
  return html`<div class="jump-map" ref=${place}><canvas ref=${canvas} role="img" aria-label=${`jump map of ${about.frames} frames: from which frame, downwards, to which, across; the dot is the frame shown`}></canvas></div>`;
}

// ---- steering ----
// Left and right turn the heading, up releases it; a stick of a gamepad points in the direction to go.
function useSteering(on) {
  const [heading, setHeading] = useState(null), held = useRef({ left: false, right: false }), [pad, setPad] = useState(false);
  useEffect(() => {
    if (!on) return undefined;
    const names = { ArrowLeft: "left", a: "left", ArrowRight: "right", d: "right" };
    const key = (event) => {
      if (event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, [role=tablist], .own-keys")) return;
      const name = names[event.key], down = event.type === "keydown";
      if (name) { held.current[name] = down; event.preventDefault(); event.stopImmediatePropagation(); } else if (down && (event.key === "ArrowUp" || event.key === "w")) { setHeading(null); event.preventDefault(); }
    };
    const gone = () => { held.current = { left: false, right: false }; };
    window.addEventListener("keydown", key, true);
    window.addEventListener("keyup", key, true);
    window.addEventListener("blur", gone);
    return () => { window.removeEventListener("keydown", key, true); window.removeEventListener("keyup", key, true); window.removeEventListener("blur", gone); };
  }, [on]);
  useFrames((passed) => {
    const gamepad = gamepadNow();
    if (Boolean(gamepad) !== pad) setPad(Boolean(gamepad));
    if (gamepad) {
      const [x, y] = gamepad.axes;
      if (Math.hypot(x, y) > STICK) { setHeading(Math.round((Math.atan2(-x, -y) * 180) / Math.PI / 3) * 3); return; }
    }
    const by = (held.current.left ? 1 : 0) - (held.current.right ? 1 : 0);
    if (by) setHeading((now) => Math.round(((now ?? 0) + by * TURNED * passed) * 10) / 10);
  }, on);
  return { heading, setHeading, pad };
}

function Learn({ takes, onlearned, open }) {
  const { item, kind } = useMovement(), [ids, setIds] = useOwn("texture takes", takes.filter((one) => one.kind === "take").map((one) => one.id)), [turns, setTurns] = useOwn("texture turns", false);
  const [time, setTime] = useKept("texture time", 1.5), [largest, setLargest] = useKept("texture largest", 0);
  return html`<${Panel} title="Learn where it can jump" open=${open}>
    <${TakePicker} label=${kind === "mesh" ? "Meshes" : "Takes"} items=${takes} ids=${ids} onchange=${setIds} hint="one long take is enough" />
    <${NumberField} label="Seconds between jumps" value=${time} min=${0.2} max=${30} step=${0.1} onchange=${setTime} />
    <${NumberField} label="Largest jump (0: automatic)" hint="in average frame steps" value=${largest} min=${0} max=${1000} step=${0.5} onchange=${setLargest} />
    ${kind === "body" && html`<${Toggle} label="Split a walk into forward, left and right" value=${turns} onchange=${setTurns} />`}
    <${TaskButton} task="texture_learn" items=${ids} settings=${{ turns, jump_time: time, largest_jump: largest || null, name: item?.name ?? "texture" }} words="Learn" disabled=${!ids.length} title=${ids.length ? "" : "choose a take"} ondone=${onlearned} />
  <//>`;
}

// A mesh is sent once, as its modes, and played here.
function MeshStage({ model, rate, onframe }) {
  const player = useRef(null), callback = useRef(onframe);
  callback.current = onframe;
  const scene = useMemo(async () => {
    player.current = meshPlayer(await three, await api.modes(model.id), (...now) => callback.current(...now));
    return { manifest: { shapes: [] }, scene: player.current.scene };
  }, [model.id]);
  useEffect(() => { if (player.current) player.current.rate = rate; else scene.then(() => { player.current.rate = rate; }, () => {}); }, [rate]);
  return html`<${Viewport} scene=${scene} start=${{ follow: false }} label="a mesh, played forever" />`;
}

function Running({ model, models, choose, takes }) {
  const [about, setAbout] = useState(null), live = useRef({ frame: null, jumps: [] });
  const [rate, setRate] = useState(1), [jumps, setJumps] = useState(0);
  const [seconds, setSeconds] = useKept("texture seconds", 4);
  const mesh = Boolean(model.facts.vertices), travels = Boolean(model.facts.travels) && !mesh;
  const { heading, setHeading, pad } = useSteering(travels), [cell, setCell] = useState(null), cells = about?.cells ?? [];
  useGamepad(!mesh && cells.length > 1, ({ pressed }) => { if (cells[pressed]) setCell(cells[pressed]); });
  useEffect(() => {
    let here = true;
    api.get(`texture/${model.id}`).then((answer) => { if (here) setAbout(answer); }, (error) => toast(error.message, "error"));
    return () => { here = false; };
  }, [model.id]);
  const shown = (frame, from) => {
    live.current.frame = frame;
    if (from < 0) return;
    live.current.jumps.push({ from, to: frame, when: performance.now() / 1000 });
    setJumps((n) => n + 1);
  };
  const onmessage = (message) => {
    if (message.shown === undefined) return;
    const { frame } = live.current;
    shown(message.shown, frame === null || Math.abs(message.shown - frame - 1) < NEAR ? -1 : frame);
  };
  const controls = { jump_rate: rate, ...(travels ? { heading } : {}), ...(cell ? { weights: Object.fromEntries(cells.map((name) => [name, name === cell ? 1 : 0])) } : {}) };
  const side = html`${models.length > 1 && html`<${Panel}><${ModelSelect} models=${models} value=${model} onchange=${choose} /><//>`}
    <${Panel} title="Play">
      <${Slider} label="Jump rate" value=${rate} min=${0} max=${5} step=${0.1} format=${(x) => `${x.toFixed(1)} × the learned rate`} oninput=${setRate} onchange=${setRate} />
      ${travels && html`<${Row}><${Button} label="turn left" onclick=${() => setHeading((heading ?? 0) + 30)}>⟲ Left<//><${Button} pressed=${heading === null} onclick=${() => setHeading(null)}>Free<//><${Button} label="turn right" onclick=${() => setHeading((heading ?? 0) - 30)}>Right ⟳<//><//>
        <${Note}>${heading === null ? "It goes where the take goes." : `Heading ${Math.round(heading)}°.`} Steer with ← →, let go with ↑${pad ? ", or point the gamepad's stick" : "; a gamepad works too"}.<//>`}
      ${!mesh && cells.length > 1 && html`<${Segmented} label="which part is played" value=${cell} options=${cells.map((name) => [name, name])} onchange=${setCell} /><${Note}>Buttons of a gamepad choose a part as well.<//>`}
      ${about && html`<${Note}>Largest jump: ${about.largest_jump} average frame steps; about one jump every ${about.jump_time} s.<//>`}
      ${(model.facts.notes ?? []).map((note) => html`<${Note} kind="warn">${note}<//>`)}
    <//>
    <${Panel} title="Save">
      <${NumberField} label="Seconds" value=${seconds} min=${0.5} max=${600} step=${0.5} onchange=${setSeconds} />
      <${TaskButton} task="texture_sample" items=${[model.id]} settings=${{ seconds, loop: true, name: `${model.name} loop` }} words="Save a loop" ondone=${() => toast("The loop is saved with this movement.", "good")} />
      <${TaskButton} kind="plain" task="texture_sample" items=${[model.id]} settings=${{ seconds, heading, name: model.name }} words="Save as a motion" ondone=${() => toast("Saved with this movement.", "good")} />
    <//>
    <${Learn} takes=${takes} open=${false} onlearned=${(job) => choose(job.made[0])} />`;
  return html`<${Split} side=${side} label="texture">
    <div class="texture-stage">
      ${mesh ? html`<${MeshStage} key=${model.id} model=${model} rate=${rate} onframe=${shown} />`
        : html`<${LiveViewport} key=${model.id} model=${model.id} controls=${controls} onmessage=${onmessage} start=${{ follow: true }} label="endless playback" />`}
      <div class="panel map-panel"><header><h2>Jump map</h2><span class="facts">${about ? `${about.frames} frames · ${about.jumps} jumps · ${jumps} taken` : ""}</span></header>
        <p class="map-key"><span><i class="here"></i>shown now</span><span><i class="goes"></i>next frame</span><span><i class="may"></i>possible jump (from ↓ to →)</span><span><i class="took"></i>jump taken</span></p>
        ${about && html`<${JumpMap} model=${model} about=${about} live=${live} />`}</div>
    </div><//>`;
}

function Tab() {
  const takes = useMotions(["take", "variant", "strokes"]), models = useOwnModels("texture");
  const [model, choose] = useChosenModel("texture model", models);
  if (model) return html`<${Running} key=${model.id} model=${model} models=${models} choose=${choose} takes=${takes} />`;
  return html`<${Split} side=${html`<${Learn} takes=${takes} open=${true} onlearned=${(job) => choose(job.made[0])} />`}>
    <div class="stage"><div class="stage-over"><${Empty} title="Play it endlessly" words="One long take, or a mesh such as a flag, plays forever (a motion texture): it jumps between frames that look alike. You see where it jumps, and can steer it.">
      ${!takes.length && html`<${SampleButton} names=${["walk_long"]} words="Try it with a sample: a long walk" then=${([walks]) => run("texture_learn", walks.slice(0, 1), { name: "walk_long" })} />`}
      <${SampleButton} names=${["flag"]} words="Try it with a flag" then=${([flags]) => run("texture_learn", flags.slice(0, 1), { name: "flag" })} /><//></div></div><//>`;
}

export default { name: "texture", label: "Endless", Tab, kinds: ["body", "mesh", "markers"], shows: ["texture_learn", "texture_sample"] };
