// The address of the page says what is shown: #/project/movement/tab, so back, reload and links work.

import { itemOf, set, state, subscribe } from "./state.js";

const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "movement";
const slug = (movement) => (movement ? `${plain(movement.name)}-${movement.id.slice(0, 6)}` : "-");
const address = () => `#/${plain(state.name)}/${slug(itemOf(state.movement))}/${state.tab}`;

// Parses an address; a movement is identified by the beginning of its id, so renaming it does not break links.
function read(hash) {
  const [, , movement = "", tab = ""] = hash.split("/");
  const start = movement.slice(movement.lastIndexOf("-") + 1);
  const match = start.length === 6 && state.items.find((item) => item.kind === "movement" && item.id.startsWith(start));
  return { ...(match || movement === "-" ? { movement: match ? match.id : null } : {}), ...(tab ? { tab } : {}) };
}

// Starts when the project is loaded; `tidy(state)` returns changes that make movement and tab fit each other.
export function startRouting(tidy) {
  let begun = false, popping = false, shown = "";
  const follow = () => {
    if (!state.ready) return;
    if (!begun) {
      begun = true;
      if (location.hash.length > 2) set(read(location.hash));
    }
    const changes = tidy(state);
    if (changes) { set(changes); return; }
    const now = address();
    if (now === shown) return;
    const place = now.replace(/-[0-9a-f]{6}\//, "/"), before = shown.replace(/-[0-9a-f]{6}\//, "/");
    if (popping || !shown || place === before) history.replaceState(null, "", now);
    else history.pushState(null, "", now);
    shown = now;
    document.title = [itemOf(state.movement)?.name, "freshtake studio"].filter(Boolean).join(" – ");
  };
  subscribe(follow);
  window.addEventListener("popstate", () => {
    popping = true;
    set(read(location.hash));
    popping = false;
  });
  follow();
}
