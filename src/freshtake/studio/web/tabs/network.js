// Network: what depends on what in a model, as a graph and on the body. Click a joint to see what it depends on, and how strongly.

import { html, useEffect, useMemo, useState } from "../vendor/preact-htm.module.js";
import { api } from "../api.js";
import { Button, Empty, Note, Panel, Slider, Split } from "../ui.js";
import { useMovement } from "../movements.js";
import { set, toast, useKept } from "../state.js";

const SIZE = 400; // of the graph, in its units
const [WIDE, TALL] = [290, 440]; // of the body

const jointOf = (dof) => (dof.includes(".") ? dof.slice(0, dof.lastIndexOf(".")) : dof);

// Edges between DOFs as links between joints: strengths are summed, a joint's own past is left out.
export function jointLinks(edges) {
  const sums = new Map();
  for (const edge of edges) {
    const { strength } = edge, parent = jointOf(edge.parent), child = jointOf(edge.child);
    if (parent === child) continue;
    const key = `${parent}\n${child}`;
    sums.set(key, (sums.get(key) ?? 0) + (Number.isFinite(strength) ? Math.max(strength, 0) : 0));
  }
  return [...sums].map(([key, strength]) => { const [parent, child] = key.split("\n"); return { parent, child, strength }; })
    .sort((a, b) => b.strength - a.strength);
}

const near = (links, joint) => (joint ? links.filter((link) => link.parent === joint || link.child === joint) : links);
const tone = (link, joint) => (joint && link.parent === joint ? "gives" : "takes");

function Arcs({ links, places, joint, most, arrow }) {
  const shown = near(links, joint).slice(0, most).filter((link) => places[link.parent] && places[link.child]).reverse();
  const largest = Math.max(...shown.map((link) => link.strength), 1e-9);
  return shown.map((link) => {
    const [ax, ay] = places[link.parent], [bx, by] = places[link.child], share = link.strength / largest;
    const mx = (ax + bx) / 2 + (by - ay) * 0.22, my = (ay + by) / 2 - (bx - ax) * 0.22;
    return html`<path key=${`${link.parent} ${link.child}`} class=${`arc ${tone(link, joint)}`} d=${`M${ax} ${ay}Q${mx} ${my} ${bx} ${by}`} stroke-width=${0.8 + 4 * share} opacity=${0.25 + 0.6 * share} marker-end=${`url(#${arrow})`}>
      <title>${`${link.parent} → ${link.child}`}</title></path>`;
  });
}

function Joints({ places, joint, onpick, names, radius = 5 }) {
  const key = (event, name) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onpick(name); } };
  return Object.entries(places).map(([name, [x, y]]) => html`<g key=${name} class=${`joint ${name === joint ? "picked" : ""}`} tabindex="0" role="button" aria-label=${name} aria-pressed=${String(name === joint)}
      onclick=${() => onpick(name === joint ? null : name)} onKeyDown=${(event) => key(event, name)}>
    <circle cx=${x} cy=${y} r=${radius + 7} class="reach" /><circle cx=${x} cy=${y} r=${radius} /><title>${name}</title>${names?.(name, x, y)}</g>`);
}

const Arrow = ({ id }) => html`<defs><marker id=${id} viewBox="0 0 8 8" refX="9" refY="4" markerWidth="5" markerHeight="5" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z" class="arrow" /></marker></defs>`;

// The skeleton from the front, joints as dots.
function Body({ body, links, joint, onpick, most }) {
  const places = useMemo(() => fitted(body), [body]);
  const label = (name, x, y) => name === joint && html`<text x=${x < WIDE / 2 ? x - 9 : x + 9} y=${y - 8} text-anchor=${x < WIDE / 2 ? "end" : "start"}>${name}</text>`;
  return html`<svg class="net own-keys" viewBox=${`0 0 ${WIDE} ${TALL}`} role="group" aria-label="network on the body"><${Arrow} id="arrow-body" />
    ${body.names.map((name, k) => body.parents[k] >= 0 && html`<line class="bone" x1=${places[name][0]} y1=${places[name][1]} x2=${places[body.names[body.parents[k]]][0]} y2=${places[body.names[body.parents[k]]][1]} />`)}
    <${Arcs} links=${links} places=${places} joint=${joint} most=${most} arrow="arrow-body" />
    <${Joints} places=${places} joint=${joint} onpick=${onpick} names=${label} /></svg>`;
}

function fitted({ names, places }) {
  const xs = places.map(([x]) => x), ys = places.map(([, y]) => y);
  const wide = Math.max(...xs) - Math.min(...xs) || 1, tall = Math.max(...ys) - Math.min(...ys) || 1, scale = Math.min((WIDE - 90) / wide, (TALL - 40) / tall);
  const [middleX, middleY] = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
  return Object.fromEntries(names.map((name, k) => [name, [WIDE / 2 + (places[k][0] - middleX) * scale, TALL / 2 - (places[k][1] - middleY) * scale]]));
}

// All joints on a circle, those of one part of the body side by side.
function Graph({ nodes, links, joint, onpick, most }) {
  const places = useMemo(() => Object.fromEntries(nodes.map((name, k) => {
    const turn = (2 * Math.PI * k) / nodes.length - Math.PI / 2;
    return [name, [SIZE / 2 + 128 * Math.cos(turn), SIZE / 2 + 128 * Math.sin(turn)]];
  })), [nodes.join()]);
  const label = (name, x, y) => {
    const turn = Math.atan2(y - SIZE / 2, x - SIZE / 2), left = Math.abs(turn) > Math.PI / 2;
    return html`<text x=${x + 10 * Math.cos(turn)} y=${y + 10 * Math.sin(turn) + 3} text-anchor=${left ? "end" : "start"} transform=${`rotate(${((left ? turn + Math.PI : turn) * 180) / Math.PI} ${x + 10 * Math.cos(turn)} ${y + 10 * Math.sin(turn)})`}>${name}</text>`;
  };
  return html`<svg class="net own-keys" viewBox=${`0 0 ${SIZE} ${SIZE}`} role="group" aria-label="network as a graph"><${Arrow} id="arrow-graph" />
    <${Arcs} links=${links} places=${places} joint=${joint} most=${most} arrow="arrow-graph" />
    <${Joints} places=${places} joint=${joint} onpick=${onpick} names=${label} radius=${4} /></svg>`;
}

function Bars({ title, links, field, onpick, kind }) {
  const largest = Math.max(...links.map((link) => link.strength), 1e-9);
  return html`<h3 class="bars-title">${title}</h3>
    ${links.length ? html`<ul class="bars">${links.map((link) => html`<li key=${link[field]}><button type="button" class="link" onclick=${() => onpick(link[field])}>${link[field]}</button>
      <i class=${kind} style=${{ width: `${Math.max(100 * (link.strength / largest), 2)}%` }}></i></li>`)}</ul>` : html`<${Note}>no other joint<//>`}`;
}

function Tab() {
  const { model } = useMovement();
  const [network, setNetwork] = useState(null);
  const [most, setMost] = useKept("network most", 30);
  const [joint, setJoint] = useState(null);
  useEffect(() => {
    let stale = false;
    setNetwork(null);
    setJoint(null);
    if (model) api.get(`network/${model.id}`).then((answer) => { if (!stale) setNetwork(answer); }, (error) => toast(error.message, "error"));
    return () => { stale = true; };
  }, [model?.id]);
  const links = useMemo(() => (network ? jointLinks(network.edges) : []), [network]);
  const nodes = useMemo(() => network?.nodes.map((node) => node.name) ?? [], [network]);
  if (!model) return html`<div class="welcome"><${Empty} title="No model yet" words="Make variants first. You then see here which joints vary together."><${Button} onclick=${() => set({ tab: "vary" })}>To Vary<//><//></div>`;

  const sources = joint ? links.filter((link) => link.child === joint) : [], gives = joint ? links.filter((link) => link.parent === joint) : [];
  const words = joint ? network?.nodes.filter((node) => node.name === joint && node.words !== joint).map((node) => node.words) : [];
  const side = html`<${Panel} title="Network">
      <${Note}>How takes differ: which joints vary together from take to take.<//>
      <${Slider} label="Strongest links shown" value=${most} min=${5} max=${Math.max(Math.min(links.length, 200), 10)} step=${5} oninput=${setMost} onchange=${setMost} />
      ${network && html`<${Note}>${links.length} links between ${nodes.length} joints. The thicker a line, the more one joint tells about the other.<//>`}
    <//>
    <${Panel} title=${joint ?? "In words"}>
      ${!joint && network?.sentences.slice(0, 5).map((sentence) => html`<${Note}>${sentence}<//>`)}
      ${joint ? html`${words.map((sentence) => html`<${Note}>${sentence}<//>`)}
        <${Bars} title="varies with" links=${sources.slice(0, 12)} field="parent" onpick=${setJoint} kind="takes" />
        <${Bars} title="varies with it, moves less" links=${gives.slice(0, 12)} field="child" onpick=${setJoint} kind="gives" />
        <${Button} kind="quiet" onclick=${() => setJoint(null)}>All joints<//>` : html`<${Note}>Click a joint in one of the drawings.<//>`}
    <//>`;
  return html`<${Split} label="network" side=${side}>
    <div class="drawings" aria-busy=${!network}>
      ${network?.body && html`<figure><${Body} body=${network.body} links=${links} joint=${joint} onpick=${setJoint} most=${most} /></figure>`}
      ${network && html`<figure><${Graph} nodes=${nodes} links=${links} joint=${joint} onpick=${setJoint} most=${most} /></figure>`}
      ${!network && html`<p class="starting">Reading the network …</p>`}
    </div>
  <//>`;
}

export default { name: "network", label: "Network", Tab, kinds: ["body", "stroke", "markers"] };
