// Usage: FRESHTAKE_CLIENTS=FOLDER_WITH_NODE_MODULES node validate_gltf.mjs FILE...   (default: the current folder)
// Prints one JSON object: { "FILE": { "errors": n, "warnings": n, "messages": [...] }, ... }.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(join(process.env.FRESHTAKE_CLIENTS ?? process.cwd(), "package.json"));
const validator = require("gltf-validator");

async function validate(path) {
  const bytes = new Uint8Array(await readFile(path));
  const beside = (uri) => readFile(join(dirname(path), decodeURIComponent(uri))).then((data) => new Uint8Array(data));
  try {
    const report = await validator.validateBytes(bytes, { uri: path, maxIssues: 0, externalResourceFunction: beside });
    const { numErrors, numWarnings, messages } = report.issues;
    return { errors: numErrors, warnings: numWarnings, messages };
  } catch (error) {
    return { errors: 1, warnings: 0, messages: [{ code: "UNREADABLE", message: String(error), severity: 0 }] };
  }
}

const reports = {};
for (const path of process.argv.slice(2)) reports[path] = await validate(path);
console.log(JSON.stringify(reports, null, 1));
