// Loads VRM animations by three-vrm's loader and prints rest height of the hips, rotations of every bone in a normalized
// humanoid (key after key, x y z w) and the hips' translation.
//   node load_vrma.mjs FILE...
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = join(process.env.FRESHTAKE_CLIENTS, 'node_modules');
const load = (...parts) => import(pathToFileURL(join(modules, ...parts)));
globalThis.self ??= globalThis; // the loader looks for it; nothing is drawn
const { GLTFLoader } = await load('three', 'examples', 'jsm', 'loaders', 'GLTFLoader.js');
const { VRMAnimationLoaderPlugin } = await load(
  '@pixiv', 'three-vrm-animation', 'lib', 'three-vrm-animation.module.js',
);

const out = {};
for (const path of process.argv.slice(2)) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  const data = readFileSync(path);
  const gltf = await loader.parseAsync(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), '');
  out[path] = gltf.userData.vrmAnimations.map((animation) => ({
    height: animation.restHipsPosition.y,
    duration: animation.duration,
    rotations: Object.fromEntries(
      [...animation.humanoidTracks.rotation].map(([bone, track]) => [bone, Array.from(track.values)]),
    ),
    hips: Array.from(animation.humanoidTracks.translation.get('hips').values),
  }));
}
console.log(JSON.stringify(out));
