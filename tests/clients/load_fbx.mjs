// Loads FBX files by three's FBXLoader and prints where the joints are in every take, frame by frame, in metres.
//   node load_fbx.mjs FPS FILE...
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const home = join(process.env.FRESHTAKE_CLIENTS, 'node_modules', 'three');
const THREE = await import(pathToFileURL(join(home, 'build', 'three.module.js')));
const { FBXLoader } = await import(pathToFileURL(join(home, 'examples', 'jsm', 'loaders', 'FBXLoader.js')));
globalThis.window ??= globalThis; // the loader looks for it; nothing is drawn

const [fps, ...paths] = process.argv.slice(2);
const out = {};
for (const path of paths) {
  const data = readFileSync(path);
  const scene = new FBXLoader().parse(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), '');
  const bones = [];
  let vertices = 0;
  scene.traverse((thing) => {
    if (thing.isBone) bones.push(thing);
    if (thing.isSkinnedMesh) vertices += thing.geometry.attributes.position.count;
  });
  const takes = {};
  for (const clip of scene.animations) {
    const mixer = new THREE.AnimationMixer(scene);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
    action.play();
    takes[clip.name] = [];
    for (let frame = 0; frame < Math.round(clip.duration * fps) + 1; frame++) {
      mixer.setTime(Math.min(frame / fps, clip.duration));
      scene.updateMatrixWorld(true);
      takes[clip.name].push(bones.map((bone) => bone.getWorldPosition(new THREE.Vector3()).toArray().map((x) => x / 100)));
    }
    mixer.uncacheRoot(scene);
  }
  out[path] = { names: bones.map((bone) => bone.name), vertices, takes };
}
console.log(JSON.stringify(out));
