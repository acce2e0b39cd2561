// The server's routes, one function each. Every failure is an Error whose message is one sentence.

const BROKEN = "The studio's server does not respond: check the window it was started in, restart it and reload this page.";

async function ask(method, address, { json, body } = {}) {
  let answer;
  try {
    answer = await fetch(address, {
      method, headers: json === undefined ? {} : { "Content-Type": "application/json" },
      body: json === undefined ? body : JSON.stringify(json),
    });
  } catch { throw new Error(BROKEN); }
  if (answer.ok) return answer;
  let sentence = "";
  try { sentence = (await answer.json()).error; } catch { /* not ours */ }
  throw Object.assign(new Error(sentence || `The server refused this (${answer.status}): reload the page and try again.`), { status: answer.status });
}

// A sentence from the server in the page's style; file names stay unchanged.
export const asSentence = (words) => (/^[a-z]+ /.test(words) ? words[0].toUpperCase() + words.slice(1) : words);

const read = async (...request) => {
  const answer = await ask(...request);
  return answer.status === 204 ? null : answer.json();
};
const query = (fields) => new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)).toString();

export const api = {
  get: (address, fields = {}) => read("GET", `/api/${address}?${query(fields)}`),
  post: (address, json = {}) => read("POST", `/api/${address}`, { json }),
  project: () => read("GET", "/api/project"),
  upload: (file, step) => read("POST", `/api/takes?${query({ name: file.name, step })}`, { body: file }),
  samples: () => read("GET", "/api/samples"),
  sample: (name) => read("POST", `/api/samples/${encodeURIComponent(name)}`, { json: {} }),
  change: (id, fields) => read("PATCH", `/api/items/${id}`, { json: fields }),
  remove: (ids) => read("POST", "/api/remove", { json: { items: ids } }),
  preset: (name, value) => read("PUT", `/api/presets/${encodeURIComponent(name)}`, { json: value }),
  undo: () => read("POST", "/api/undo", { json: {} }),
  redo: () => read("POST", "/api/redo", { json: {} }),
  start: (task, items, settings = {}) => read("POST", "/api/jobs", { json: { task, items, ...settings } }),
  cancel: (id) => read("DELETE", `/api/jobs/${id}`),
  exportAddress: (id) => `/api/exports/${id}`,
  strip: (id) => `/api/strip/${id}.png`,
  thumbnail: (id, kind = "gif") => `/api/thumbnail/${id}.${kind}`,

  // { manifest, buffer } for the viewport.
  async scene(ids, fields = {}) {
    const answer = await ask("GET", `/api/scene?${query({ items: ids.join(","), ...fields })}`);
    return split(await answer.arrayBuffer());
  },

  async crowd(id) { return split(await (await ask("GET", `/api/crowd/${id}/scene`)).arrayBuffer()); },

  async modes(id) { return split(await (await ask("GET", `/api/texture/${id}/modes`)).arrayBuffer()); },

  // The same for a scene that the server builds from a request.
  async binary(address, json) {
    return split(await (await ask("POST", `/api/${address}`, { json })).arrayBuffer());
  },

  // Messages from the server until `close()`; reconnects when the connection is lost.
  events(onmessage, onopen, onclose) {
    let socket = null, ended = false, wait = 300;
    const open = () => {
      socket = new WebSocket(socketAddress("events"));
      socket.onopen = () => { wait = 300; onopen?.(); };
      socket.onmessage = (event) => onmessage(JSON.parse(event.data));
      socket.onclose = () => {
        onclose?.();
        if (!ended) setTimeout(open, (wait = Math.min(wait * 1.6, 5000)));
      };
    };
    open();
    return { close() { ended = true; socket?.close(); } };
  },

  // Endless motion of a model: `onstart({ fps, manifest, classes, ... })`, then `onframe(number, x, z, points, turns)`
  // for every frame, `onmessage(json)` for every later text message. `fields`: source (a take, for styles), receive, seed, plant.
  // Returns { send(controls), close() }.
  live(model, { onstart, onframe, onmessage, onerror, onwaiting, controls = {}, fields = {} }) {
    const socket = new WebSocket(socketAddress(`live/${model}?${query(fields)}`));
    let begun = false, count = 0;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(JSON.stringify(controls));
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        const message = JSON.parse(data);
        if (message.error) { onerror?.(message.error); if ("sending" in message) onmessage?.(message); }
        else if (message.waiting) onwaiting?.(message.waiting);
        else if (!begun) { begun = true; count = 3 * message.manifest.shapes[0].count; onstart(message); }
        else onmessage?.(message);
        return;
      }
      const view = new DataView(data), x = view.getFloat32(4, true), z = view.getFloat32(8, true);
      const points = new Float32Array(data, 12, count), turns = new Float32Array(data, 12 + 4 * count); // relative to the position on the floor
      for (let k = 0; k < points.length; k += 3) { points[k] += x; points[k + 2] += z; }
      onframe(view.getUint32(0, true), x, z, points, turns);
    };
    socket.onclose = (event) => { if (event.code !== 1000 && event.code !== 1005) onerror?.(event.reason || "The live motion has ended: press Live to start it again."); };
    return {
      send(fields) { if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(fields)); },
      close() { socket.onclose = null; socket.close(); },
    };
  },
};

function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/${path}`;
}

// A length, that many bytes of JSON, padding to a multiple of four, numbers.
export function split(whole) {
  const length = new DataView(whole).getUint32(0, true);
  const manifest = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, length)));
  const start = Math.ceil((4 + length) / 4) * 4;
  return { manifest, buffer: whole.slice(start) };
}
