// The controls shared by all tabs. Everything here is reachable by keyboard and labelled for screen readers.
//
// A tab is `tabs/<name>.js` with `export default { name, label, Tab, shows, kinds }`; app.js lists it. `shows`: tasks whose
// progress the tab shows itself (else it is in the strip at the bottom); `kinds`: the kinds of movements it is for. Inside a tab:
//
//   import { html, useState, useEffect, useRef, useMemo } from "../vendor/preact-htm.module.js";
//   import { Button, Slider, Viewport, ... } from "../ui.js";
//   import { api } from "../api.js";                 routes: api.get(path, fields), api.post(path, json), api.scene(ids), ...
//   import { useStore, useKept, useOwn, run, ... } from "../state.js";    the project; values stored per window or per movement
//   import { useMovement } from "../movements.js";   takes, model and variants of the current movement
//
// Layout of a tab: html`<${Split} side=${...} end=${...}>stage<//>`: controls on the left, the stage, a list on the right.
//   <Split side end label>         three columns; `side` and `end` are optional
//   <Panel title actions open fill>  a titled block of a column; with `open` (true or false) it can be collapsed; `fill`: as
//                                  tall as the space allows, its list scrolls; `name`: for titles that change
//   <Row>                          controls in one line;  <Note kind="plain|warn|good">  a sentence
//   <Empty title words>children    what to do if there is nothing yet
// Controls (`onchange` gets the value, not the event):
//   <Button kind="plain|primary|quiet|danger" pressed disabled title busy onclick>
//   <Slider label value min max step format hint oninput onchange>      oninput while it moves, onchange when released
//   <NumberField label value min max step onchange>   <TextField label value onchange>
//   <Select label value options=[[value, text], ...] onchange hint hidden>   hidden: the label is for screen readers only
//   <Segmented label value options onchange>
//   <Toggle label value onchange hint>
// Items (item_list.js) and work (work.js):
//   <ItemList items chosen onchoose=(ids) multiple tools=(item) => vnode empty small stars label>
//   <Stars item>    star and reject buttons;   <Facts item>   joints, seconds, frames in words;   <Thumb id moving>
//   <Progress job cancel>   a running job: phase, bar, time left, cancel;   <TaskButton task items settings words ondone>
//   <ExportBar ids>  formats and one button; the file is downloaded when it is ready;  useJobs(task) → running jobs of a task
// Motion (stage.js): <Viewport items ...>, <LiveViewport model controls ...>. Plots (charts.js): <LinePlot>, <PointPlot>.

export { Split, Panel, Row, Note, Empty, Button, Slider, NumberField, TextField, Select, Segmented, Toggle } from "./controls.js";
export { Viewport, LiveViewport, three } from "./stage.js";
export { LinePlot, PointPlot } from "./charts.js";
export { Facts, ItemList, Stars, Thumb, factWords } from "./item_list.js";
export { ExportBar, Progress, TaskButton, download, taskWords, useCharacter, useJobs } from "./work.js";
