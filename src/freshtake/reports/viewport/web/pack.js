// The list of a pack next to its viewport: shows a group, a clip or clips in a row, and stores stars and rejects.

const facts = JSON.parse(document.getElementById("pack-facts").textContent);
const list = document.getElementById("pack-list");
const groups = [...new Set(facts.clips.map((clip) => clip.group))];
const place = `freshtake-pack ${groups.map((name) => facts.models[name]).join(" ")}`;
const key = (clip) => `${clip.name} ${clip.seed}`;
let marks = {};
try { marks = JSON.parse(localStorage.getItem(place)) ?? {}; } catch { /* pages opened from files may have no storage */ }

function make(tag, attributes, ...inside) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else out.setAttribute(name, value);
  }
  out.append(...inside);
  return out;
}

function mark(clip, what) {
  marks[key(clip)] = marks[key(clip)] === what ? "" : what;
  try { localStorage.setItem(place, JSON.stringify(marks)); } catch { /* then they last until the page is left */ }
  show();
}

// Shows only these shapes, by number.
let host = null, chosen = "";
function play(name, numbers) {
  chosen = name;
  show();
  if (!host) return;
  const { manifest, buffer } = host.motion;
  const shapes = numbers.map((number) => manifest.shapes[number]);
  window.viewports[0].setData({ manifest: { ...manifest, title: name, shapes }, buffer });
  window.viewports[0].seek(0);
  window.viewports[0].play();
}
const inGroup = (name) => facts.clips.flatMap((clip, number) => (clip.group === name ? [number] : []));

export function stars() {
  const clips = facts.clips.map((clip) => ({ name: clip.name, seed: clip.seed, mark: marks[key(clip)] ?? "" }));
  return { format: "freshtake stars", version: 1, settings: facts.settings, models: facts.models, clips };
}

function save() {
  const file = new Blob([JSON.stringify(stars(), null, 1)], { type: "application/json" });
  const link = make("a", { href: URL.createObjectURL(file), download: "stars.json" });
  document.body.append(link);
  link.click();
  link.remove();
}

function card(clip, number) {
  const marked = marks[key(clip)] ?? "";
  const button = (what, sign, hint) => make("button", {
    type: "button", class: what, title: hint, "aria-label": `${hint} ${clip.name}`, "aria-pressed": marked === what,
    onclick: () => mark(clip, what),
  }, sign);
  const speed = clip.speed > 0 ? ` · ${clip.speed.toPrecision(3)}/s` : "";
  return make("li", { class: marked, "data-name": clip.name },
    make("button", { type: "button", class: "clip", "aria-current": chosen === clip.name, onclick: () => play(clip.name, [number]) },
      make("b", {}, clip.name), make("span", {}, `${clip.seconds.toFixed(2)} s${speed} · seed ${clip.seed}`)),
    button("star", "★", "star"), button("reject", "✕", "reject"));
}

function show() {
  const count = (what) => facts.clips.filter((clip) => marks[key(clip)] === what).length;
  const top = list.scrollTop;
  list.replaceChildren(
    make("header", {}, make("h1", {}, "Pack"), make("p", {}, `${count("star")} starred, ${count("reject")} rejected of ${facts.clips.length}`),
      make("button", { type: "button", class: "save", onclick: save }, "Save stars.json"),
      make("p", { class: "hint" }, "freshtake pack … --keep stars.json redraws rejected clips and keeps all others.")),
    ...groups.map((name, row) => make("section", {},
      make("h2", {}, make("button", { type: "button", "aria-current": chosen === name, onclick: () => play(name, inGroup(name)) }, name),
        make("button", { type: "button", "aria-current": chosen === `${name}, in a row`, onclick: () => play(`${name}, in a row`, [facts.clips.length + row]) }, "in a row")),
      make("ul", {}, ...inGroup(name).map((number) => card(facts.clips[number], number))))));
  list.scrollTop = top;
}

document.addEventListener("ft-viewports", () => {
  host = document.querySelector("[data-viewport]");
  play(groups[0], inGroup(groups[0]));
});
window.packStars = stars;
show();
