// The controls: play, scrub, speed, views, layouts and toggles; all reachable by keyboard.

const ICONS = {
  play: "M5 3.5v13l11-6.5z", pause: "M5 3.5h3.6v13H5zM11.4 3.5H15v13h-3.6z",
  loop: "M10 4a6 6 0 0 1 5.7 4.2l1.6-.9-.4 4.6-4-2.1 1.4-.8A4.4 4.4 0 0 0 5.9 8.5L4.4 8A6 6 0 0 1 10 4zm0 12a6 6 0 0 1-5.7-4.2l-1.6.9.4-4.6 4 2.1-1.4.8a4.4 4.4 0 0 0 8.4.5l1.5.5A6 6 0 0 1 10 16z",
};
export const SPEEDS = [0.1, 0.25, 0.5, 1, 1.5, 2];
const KEYS = [
  ["space", "play, pause"], ["← →", "one frame (shift: ten)"], ["home end", "first, last frame"], ["↑ ↓", "faster, slower"],
  ["1 2 3 4", "view: free, side, front, top"], ["f", "follow"], ["o", "next layout"], ["i", "in place"], ["g", "ghosts"],
  ["t", "trails"], ["c", "contacts"], ["p", "ground plan"], ["n", "names"], ["l", "loop"], ["d", "dark, light"],
];

function icon(name) {
  return `<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d="${ICONS[name]}" fill="currentColor"/></svg>`;
}

function make(tag, attributes = {}, ...inside) {
  const out = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "html") out.innerHTML = value;
    else if (key.startsWith("on")) out.addEventListener(key.slice(2), value);
    else out.setAttribute(key, value);
  }
  out.append(...inside);
  return out;
}

// `actions`: toggle(name), view(name), layout(name), seek(seconds), speed(number), play(). `strip`: an element over
// the scrub bar, for marks. Returns elements and `show`.
export function controls(actions, { views, layouts, toggles, shapes, strip }) {
  const play = make("button", { type: "button", class: "ft-play", title: "play, pause (space)", onclick: actions.play });
  const scrub = make("input", {
    type: "range", min: 0, max: 1, step: "any", value: 0, class: "ft-scrub", "aria-label": "time",
    oninput: () => actions.seek(Number(scrub.value)),
  });
  const time = make("output", { class: "ft-time" });
  const speed = make("select", { title: "speed", "aria-label": "speed", onchange: () => actions.speed(Number(speed.value)) },
    ...SPEEDS.map((one) => make("option", { value: one, html: `${one}×` })));
  const loop = make("button", { type: "button", title: "loop (l)", "aria-label": "loop", html: icon("loop"), onclick: () => actions.toggle("loop") });
  const group = (names, action, label) => make("div", { class: "ft-group", role: "group", "aria-label": label },
    ...names.map(([name, text, hint]) => make("button", {
      type: "button", "data-name": name, title: hint ?? text, onclick: () => action(name), html: text,
    })));
  const viewGroup = group(views, actions.view, "view");
  const layoutGroup = shapes > 1 ? group(layouts, actions.layout, "layout") : make("span");
  const toggleGroup = group(toggles, actions.toggle, "shown");
  const help = make("div", { class: "ft-help", hidden: "" },
    ...KEYS.map(([key, text]) => make("div", { html: `<kbd>${key}</kbd> ${text}` })));
  const helpButton = make("button", {
    type: "button", title: "keys", "aria-label": "keys", html: "?", onclick: () => { help.hidden = !help.hidden; },
  });
  const bar = make("div", { class: "ft-bar" },
    make("div", { class: "ft-line" }, play, make("div", { class: "ft-scrubbing" }, scrub, ...(strip ? [strip] : [])), time, speed, loop),
    make("div", { class: "ft-line ft-tools" }, viewGroup, layoutGroup, toggleGroup, helpButton));

  function show(state) {
    play.innerHTML = icon(state.playing ? "pause" : "play");
    play.setAttribute("aria-label", state.playing ? "pause" : "play");
    scrub.max = state.duration;
    if (document.activeElement !== scrub || state.playing) scrub.value = state.seconds;
    scrub.style.setProperty("--done", `${(100 * state.seconds) / state.duration}%`);
    time.textContent = `${state.seconds.toFixed(2)} / ${state.duration.toFixed(2)} s · frame ${state.frame}`;
    speed.value = String(state.speed);
    loop.setAttribute("aria-pressed", state.loop);
    for (const [box, chosen] of [[viewGroup, [state.view]], [layoutGroup, [state.layout]], [toggleGroup, toggles.map(([name]) => name).filter((name) => state[name])]]) {
      for (const button of box.children) button.setAttribute("aria-pressed", chosen.includes(button.dataset.name));
    }
  }
  return { bar, help, show };
}
