// Starts every viewport of a self-contained page: modules and motion are gzipped text inside the page.

const packedBytes = (id) => Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));

async function unpacked(id) {
  const stream = new Blob([packedBytes(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Modules in loading order: each import is replaced by the address of a module loaded before.
async function modules(list) {
  const addresses = {};
  for (const [name, text] of list) {
    const linked = text.replace(/(from\s*)"\.\/([\w.]+)"/g, (_, word, file) => `${word}"${addresses[file]}"`);
    addresses[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
  }
  return addresses;
}

async function start() {
  const hosts = [...document.querySelectorAll("[data-viewport]")];
  try {
    const list = JSON.parse(new TextDecoder().decode(await unpacked("ft-modules")));
    const addresses = await modules(list);
    const THREE = await import(addresses["three.module.min.js"]);
    const { createViewport } = await import(addresses["viewport.js"]);
    window.viewports = [];
    for (const host of hosts) {
      const manifest = JSON.parse(document.getElementById(`${host.dataset.viewport}-manifest`).textContent);
      const buffer = await unpacked(`${host.dataset.viewport}-data`);
      const whole = host.hasAttribute("data-whole-page");
      host.replaceChildren();
      host.motion = { manifest, buffer }; // for pages that show part of the motion
      window.viewports.push(createViewport(THREE, host, { manifest, buffer }, { keys: whole ? window : host }));
    }
    document.dispatchEvent(new Event("ft-viewports"));
  } catch (error) {
    for (const host of hosts) host.textContent = `This browser cannot show the motion (${error.message}): WebGL 2 is needed.`;
  }
}

start();
