import { html } from "../vendor/preact-htm.module.js";
import { Empty } from "../ui.js";

const Tab = () => html`<${Empty} title="Soon here" />`;
export default { name: "curves", label: "Curves", Tab };
