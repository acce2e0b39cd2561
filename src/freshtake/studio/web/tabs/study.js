// Experiments with real people: consent, a code, motions in random order, scores from 1 to 9 (A, B), a search for clones (C),
// a choice between two (D), the results.

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact-htm.module.js";
import { api, asSentence, split } from "../api.js";
import { useMovement } from "../movements.js";
import { isClip, TakePicker, useMotions } from "../picking.js";
import { attempt, toast, useOwn } from "../state.js";
import { Button, Empty, Note, NumberField, Panel, Row, Split, TaskButton, TextField, Toggle, Viewport } from "../ui.js";

const SCORES = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const CONDITIONS = { variants: "variants", captured: "motion capture", cycle: "cycle animation" };
const TOGETHER = { names: true, follow: false, contacts: false, plan: false, inPlace: true }; // several motions, identified by numbers
const WALKERS = 12, SEARCH = 60; // in a crowd; seconds after which a search ends
const PLAIN = { names: false, follow: true, contacts: false, plan: false }; // nothing that reveals the condition
const LEAST = 1; // seconds a motion must be watched before it is scored

// ---- making one ----
function Design({ open, onmade }) {
  const clips = useMotions().filter(isClip), takes = clips.filter((item) => item.kind === "take"), made = clips.filter((item) => item.kind === "variant" && !item.facts.baseline);
  const ids = (some) => some.map((item) => item.id), { item: movement } = useMovement(); // initially all items of the movement
  const [variants, setVariants] = useOwn("study variants", ids(made)), [inputs, setInputs] = useOwn("study inputs", ids(takes)), [captured, setCaptured] = useOwn("study captured", []);
  const [a, setA] = useOwn("study a", true), [b, setB] = useOwn("study b", true), [c, setC] = useOwn("study c", false), [d, setD] = useOwn("study d", false), [name, setName] = useOwn("study name", movement?.name ?? "study");
  const [people, setPeople] = useOwn("study people", 15), [trials, setTrials] = useOwn("study trials", 15), [joined, setJoined] = useOwn("study joined", 15);
  const experiments = [a && "A", b && "B", c && "C", d && "D"].filter(Boolean);
  const words = !variants.length ? "choose variants" : !inputs.length ? "choose the takes they were made from" : !experiments.length ? "choose an experiment" : c && variants.length < WALKERS - 1 ? `C needs ${WALKERS - 1} variants or more` : "";
  return html`<${Panel} title="New study" open=${open}>
    <${TextField} label="Name of the motion" value=${name} onchange=${(text) => setName(text.trim() || "motion")} />
    <${Toggle} label="A: are variants as natural as takes?" value=${a} onchange=${setA} />
    <${Toggle} label="B: are they less repetitive than cycles?" value=${b} onchange=${setB} />
    <${Toggle} label="C: how soon are clones found in a crowd?" value=${c} onchange=${setC} />
    <${Toggle} label="D: which of two looks more natural?" value=${d} onchange=${setD} />
    <${TakePicker} label="Variants" items=${made} ids=${variants} onchange=${setVariants} empty="Make some in Vary." />
    <${TakePicker} label="Takes they were made from" items=${takes} ids=${inputs} onchange=${setInputs} />
    ${(a || d) && html`<${TakePicker} label="Other takes (optional)" items=${takes} ids=${captured} onchange=${setCaptured} hint="shown among the variants in A and D; without them, the takes learned from" />`}
    <${NumberField} label="Participants planned" value=${people} min=${1} max=${200} onchange=${setPeople} />
    <${NumberField} label="Motions per person and experiment" value=${trials} min=${2} max=${100} onchange=${setTrials} />
    ${(b || c) && html`<${NumberField} label="Clips in a sequence of B, repeats in C" value=${joined} min=${2} max=${60} onchange=${setJoined} />`}
    <${TaskButton} task="study_design" items=${variants} settings=${{ inputs, captured, experiment: experiments.join(""), name, participants: people, trials, clips: joined, sequences: Math.max(2, Math.min(15, trials)) }} words="Make the study" disabled=${Boolean(words)} title=${words} ondone=${onmade} />
  <//>`;
}

// ---- taking part ----
function Consent({ study, onjoin, onleave }) {
  const [code, setCode] = useState(""), [agreed, setAgreed] = useState(false);
  return html`<form class="consent panel" onSubmit=${(event) => { event.preventDefault(); onjoin(code.trim(), agreed); }}>
    <h2>Taking part in “${study.name}”</h2>
    <p>You will watch ${study.trials} short motions, one at a time, and answer a question about each.${study.experiments.some((one) => one.name === "C") ? "" : " There are no right answers."}</p>
    <label class="consent-line"><input type="checkbox" checked=${agreed} onChange=${(event) => setAgreed(event.target.checked)} /><span>${study.consent}</span></label>
    <div class="field"><label for="code">Your code (letters and digits; not your name)</label><input id="code" type="text" autocomplete="off" maxlength="24" value=${code} onInput=${(event) => setCode(event.target.value)} /></div>
    <${Row}><button type="submit" class="button primary" disabled=${!agreed || !code.trim()}>Begin</button><${Button} kind="quiet" onclick=${onleave}>Back<//><//>
  </form>`;
}

function Trial({ study, state, onscore, onleave }) {
  const { code, next, answered, of } = state, began = useRef(0), view = useRef(null);
  const [seen, setSeen] = useState(0), [given, setGiven] = useState({}); // both by position
  const score = given.position === next.position ? given.score : null, watched = seen === next.position;
  const scene = useMemo(() => fetchScene(study.id, code, next.position), [study.id, code, next.position]);
  useEffect(() => {
    let here = true, wait = 0;
    scene.then(() => {
      if (!here) return;
      began.current = performance.now();
      setTimeout(() => { view.current?.seek(0); view.current?.play(); });
      wait = setTimeout(() => setSeen(next.position), 1000 * LEAST);
    }, () => {}); // the viewport reports the error
    return () => { here = false; clearTimeout(wait); };
  }, [scene]);
  const crowd = next.experiment === "C", numbers = crowd ? Array.from({ length: WALKERS }, (_, k) => k + 1) : next.experiment === "D" ? [1, 2] : SCORES;
  const picked = crowd ? score ?? [] : [], chosen = (one) => (crowd ? picked.includes(one) : score === one), ready = crowd ? picked.length === 2 : Boolean(score);
  const choose = (value) => setGiven({ position: next.position, score: crowd ? (picked.includes(value) ? picked.filter((one) => one !== value) : [...picked, value].slice(-2)) : value });
  const spent = () => (performance.now() - began.current) / 1000;
  const give = () => { if (ready && watched) onscore(crowd ? { picked } : { score }, spent()); };
  useEffect(() => { // a search ends after a while
    if (!crowd || !watched) return undefined;
    const wait = setTimeout(() => onscore({ picked: [] }, SEARCH), Math.max(0, 1000 * (SEARCH - spent())));
    return () => clearTimeout(wait);
  }, [crowd, watched, next.position]);
  useLayoutEffect(() => { // a layout effect, so a key pressed as soon as a motion appears counts for that motion
    const key = (event) => {
      const number = Number(event.key);
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (number >= 1 && numbers.includes(number)) choose(number); else if (event.key === "Enter" && ready && event.target.closest?.("button") === null) give(); else return;
      event.stopImmediatePropagation();
      event.preventDefault();
    };
    window.addEventListener("keydown", key, true);
    return () => window.removeEventListener("keydown", key, true);
  });
  return html`<div class="trial">
    <header><b>Motion ${answered + 1} of ${of}</b><progress value=${answered} max=${of} aria-label="your progress"></progress><${Button} kind="quiet" onclick=${onleave}>Stop here<//></header>
    <${Viewport} key=${next.experiment} scene=${scene} label=${`motion ${answered + 1}`} controls=${false} start=${numbers === SCORES ? PLAIN : TOGETHER} onready=${(made) => { view.current = made; }} />
    <fieldset class="scores"><legend>${next.question}</legend>
      <div class="scores-row" role=${crowd ? "group" : "radiogroup"} aria-label=${crowd ? "the two that move identically" : "score"}>${numbers.map((one) => (crowd
        ? html`<button type="button" key=${one} aria-pressed=${String(chosen(one))} onclick=${() => choose(one)}>${one}</button>`
        : html`<button type="button" key=${one} role="radio" aria-checked=${String(chosen(one))} onclick=${() => choose(one)}>${one}</button>`))}</div>
      ${state.wrong && html`<p role="status">Not these two: look again.</p>`}
      <${Button} kind="primary" disabled=${!ready || !watched} onclick=${give}>${!watched ? "Watch it first …" : crowd ? "These two" : "Next"}<//>
    </fieldset></div>`;
}

async function fetchScene(study, code, position) {
  const answer = await fetch(`/api/studies/${study}/scene?${new URLSearchParams({ code, position })}`);
  if (!answer.ok) throw new Error((await answer.json()).error);
  return split(await answer.arrayBuffer());
}

function Part({ study, onleave }) {
  const [state, setState] = useState(null);
  const join = async (code, consent) => { const next = await attempt(api.post(`studies/${study.id}/participants`, { code, consent })); if (next) setState(next); };
  const give = async (answer, seconds) => {
    const next = await attempt(api.post(`studies/${study.id}/scores`, { code: state.code, position: state.next.position, seconds, ...answer }));
    if (next) setState(next);
  };
  if (!state) return html`<div class="part"><${Consent} study=${study} onjoin=${join} onleave=${onleave} /></div>`;
  if (!state.next) return html`<div class="part"><${Empty} title="Thank you" words=${`All ${state.of} scores are saved.`}><${Button} kind="primary" onclick=${() => setState(null)}>The next person<//><${Button} onclick=${onleave}>Back to the studies<//><//></div>`;
  return html`<div class="part"><${Trial} study=${study} state=${state} onscore=${give} onleave=${onleave} /></div>`;
}

// ---- the results ----
const p = (value) => (value === null ? "–" : value < 1e-4 ? value.toExponential(1) : value.toPrecision(2));
function Outcome({ study }) {
  const [outcomes, setOutcomes] = useState(null), [words, setWords] = useState("");
  const answered = study.people.reduce((sum, one) => sum + one.answered, 0);
  useEffect(() => {
    let here = true;
    api.get(`studies/${study.id}/outcome`).then((answer) => { if (here) { setOutcomes(answer.outcomes); setWords(answer.words); } }, (error) => { if (here) { setOutcomes(null); setWords(error.message); } });
    return () => { here = false; };
  }, [study.id, answered]);
  if (words) return html`<div class="stage"><div class="stage-over"><${Empty} title="No results yet" words=${asSentence(words)} /></div></div>`;
  if (!outcomes) return html`<div class="stage" aria-busy="true"></div>`;
  return html`<div class="outcome">
    <img class="figure8" src=${`/api/studies/${study.id}/figure.svg?answered=${answered}`} alt=${`mean scores with confidence intervals: ${outcomes.map((one) => `${one.measure}, ${one.groups.map((group) => `${CONDITIONS[group.condition] ?? group.condition} ${group.mean.mean.toFixed(2)}`).join(", ")}`).join("; ")}`} />
    <div class="table-box"><table class="table"><caption>One-way analysis of variance, for choices a sign test; intervals are 95 %.</caption>
      <thead><tr><th scope="col">Experiment</th><th scope="col">Condition</th><th scope="col" class="num">scores</th><th scope="col" class="num">mean</th><th scope="col" class="num">interval</th><th scope="col" class="num">F</th><th scope="col" class="num">p</th><th scope="col" class="num">p by person</th></tr></thead>
      <tbody>${outcomes.flatMap((one) => one.groups.map((group, k) => html`<tr key=${one.experiment + group.condition}>
        ${k === 0 && html`<td rowspan="2">${one.experiment}: ${one.measure}<br /><span class="facts">${one.participants} people${one.unanswered ? `, ${one.unanswered} open` : ""}${one.not_found ? `, ${one.not_found} not found` : ""}</span></td>`}
        <td>${CONDITIONS[group.condition] ?? group.condition}</td><td class="num">${group.scores}</td><td class="num">${group.mean.mean.toFixed(2)}</td><td class="num">${group.mean.low === null ? "–" : `${group.mean.low.toFixed(2)} … ${group.mean.high.toFixed(2)}`}</td>
        ${k === 0 && html`<td rowspan="2" class="num">${one.anova === null || one.anova.f === null ? "–" : one.anova.f.toFixed(2)}</td><td rowspan="2" class="num"><b>${p(one.p)}</b></td><td rowspan="2" class="num">${p(one.by_participant)}</td>`}</tr>`))}</tbody></table></div>
  </div>`;
}

function Tab() {
  const items = useMovement().own, stamp = items.filter((item) => item.facts.what === "study").map((item) => item.id + item.name).join();
  const [studies, setStudies] = useState(null), [chosen, choose] = useOwn("study chosen", null), [part, setPart] = useOwn("study part", false), [round, setRound] = useState(0);
  const own = new Set(items.map((item) => item.id));
  useEffect(() => { attempt(api.get("studies")).then((list) => list && setStudies(list.filter((one) => own.has(one.id)))); }, [stamp, part, round]);
  const study = studies?.find((one) => one.id === chosen) ?? studies?.[0];
  if (part && study) return html`<${Part} study=${study} onleave=${() => setPart(false)} />`;
  const side = html`${studies?.length > 0 && html`<${Panel} title="Studies" actions=${html`<${Button} kind="quiet" onclick=${() => setRound(round + 1)}>Refresh<//>`}>
      <ul class="items">${studies.map((one) => html`<li key=${one.id} class=${`item ${one.id === study?.id ? "chosen" : ""}`}><button type="button" class="item-name" aria-pressed=${String(one.id === study?.id)} onclick=${() => choose(one.id)}>
        <span class="item-words"><b>${one.name}</b><span class="facts">${one.experiments.map((e) => e.name).join(" and ")} · ${one.stimuli} motions · ${one.people.length} of ${one.planned} people</span></span></button></li>`)}</ul>
      <${Button} kind="primary" onclick=${() => setPart(true)}>Take part<//>
      ${study?.people.length > 0 && html`<table class="table"><thead><tr><th scope="col">Participant</th><th scope="col" class="num">scores</th></tr></thead><tbody>${study.people.map((one) => html`<tr key=${one.code}><td>${one.code}</td><td class="num">${one.answered} of ${one.of}</td></tr>`)}</tbody></table>`}
      <${Row}><${Button} href=${`/api/studies/${study?.id}/ratings.csv`} download="ratings.csv">Scores (CSV)<//><${Button} href=${`/api/studies/${study?.id}/key.csv`} download="key.csv">Key (CSV)<//><//>
      <${Note}>For other machines in the room, start with <code>freshtake studio --host</code> and give them the address with its token.<//>
    <//>`}
    <${Design} open=${!studies?.length} onmade=${(job) => { choose(job.made[0]); toast("The study is ready.", "good"); }} />`;
  return html`<${Split} side=${side} label="studies">${study ? html`<${Outcome} study=${study} />` : html`<div class="stage"><div class="stage-over"><${Empty} title="Ask people"
    words="Choose variants and the takes they were made from. Participants see them in random order, without knowing which is which, and score them from 1 to 9. The result is figure 8 of the paper, with your own data." /></div></div>`}<//>`;
}

export default { name: "study", label: "Study", Tab, kinds: ["body"], shows: ["study_design"] };
