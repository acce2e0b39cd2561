// Positions of shapes: side by side, on a grid (a new row when the role changes), or on top of one another.

export const LAYOUTS = ["row", "grid", "overlaid"];
const GAP = 0.45;
const WIDE = 1.6; // the aspect ratio for which columns are chosen

// `aspect`: width / height of the viewport, for grids.
export function arrange(scene, kind, inPlace, aspect = WIDE) {
  const count = scene.placements.length;
  const layout = { x: new Float32Array(count), y: new Float32Array(count), z: new Float32Array(count), kind };
  const placed = scene.placements.every((placement) => placement.x !== undefined);
  if (placed) {
    scene.placements.forEach((placement, k) => { layout.x[k] = placement.x; layout.z[k] = placement.z; });
  } else if (kind !== "overlaid") {
    const boxes = scene.placements.map((placement) => extent(scene.shapes[placement.shape], inPlace));
    const rows = kind === "row" ? [scene.placements.map((_, k) => k)] : gridRows(scene, aspect);
    const flat = scene.shapes.every((shape) => shape.kind === "line"); // strokes are arranged in lines
    if (flat) placeFlat(layout, rows, boxes);
    else place(layout, rows, boxes);
  }
  return { ...layout, box: whole(scene, layout, inPlace) };
}

function extent(shape, inPlace) {
  const { box } = shape;
  return inPlace ? { low: box.nearLow, high: box.nearHigh } : box;
}

// Returns rows of numbers, with more columns than rows. Each role begins a new row, unless roles are mixed.
function gridRows(scene, aspect) {
  const count = scene.placements.length;
  const flat = scene.shapes.every((shape) => shape.kind === "line");
  const columns = Math.max(2, Math.ceil(Math.sqrt((count * (flat ? 1.8 : 2.6) * Math.min(Math.max(aspect, 0.7), 2.4)) / WIDE)));
  const roles = scene.placements.map((placement) => scene.shapes[placement.shape].role);
  const changes = (k) => k > 0 && roles[k] !== roles[k - 1];
  const mixed = roles.filter((_, k) => changes(k)).length >= new Set(roles).size;
  const rows = [[]];
  roles.forEach((_, k) => {
    if ((changes(k) && !mixed) || rows[rows.length - 1].length >= columns) rows.push([]);
    rows[rows.length - 1].push(k);
  });
  return rows;
}

function place(layout, rows, boxes) {
  const widest = Math.max(...boxes.map((box) => box.high[0] - box.low[0])) + GAP;
  let z = 0;
  for (const row of rows) {
    const front = Math.max(...row.map((k) => boxes[k].high[2]));
    z -= rows.length > 1 ? front : 0;
    row.forEach((k, column) => {
      const middle = (boxes[k].low[0] + boxes[k].high[0]) / 2;
      layout.x[k] = (column - (row.length - 1) / 2) * widest - middle;
      layout.z[k] = z;
    });
    z += Math.min(...row.map((k) => boxes[k].low[2])) - 2.5 * GAP;
  }
}

function placeFlat(layout, rows, boxes) {
  const wide = Math.max(...boxes.map((box) => box.high[0] - box.low[0])) + GAP;
  const tall = Math.max(...boxes.map((box) => box.high[1] - box.low[1])) + 1.2 * GAP;
  rows.forEach((row, line) => row.forEach((k, column) => {
    layout.x[k] = (column - (row.length - 1) / 2) * wide;
    layout.y[k] = (rows.length - 1 - line) * tall;
  }));
}

function turned(box, turn) {
  if (turn === 0) return box;
  const cos = Math.cos(turn), sin = Math.sin(turn), low = [...box.low], high = [...box.high];
  const corners = [box.low[0], box.high[0]].flatMap((x) => [box.low[2], box.high[2]].map((z) => [x * cos + z * sin, z * cos - x * sin]));
  [0, 2].forEach((axis, k) => {
    low[axis] = Math.min(...corners.map((corner) => corner[k]));
    high[axis] = Math.max(...corners.map((corner) => corner[k]));
  });
  return { low, high };
}

function whole(scene, layout, inPlace) {
  const low = [Infinity, 0, Infinity], high = [-Infinity, 0.1, -Infinity];
  scene.placements.forEach((placement, k) => {
    const box = turned(extent(scene.shapes[placement.shape], inPlace), placement.turn ?? 0);
    const shift = [layout.x[k], layout.y[k], layout.z[k]];
    for (const axis of [0, 1, 2]) {
      low[axis] = Math.min(low[axis], box.low[axis] + shift[axis]);
      high[axis] = Math.max(high[axis], box.high[axis] + shift[axis]);
    }
  });
  return { low, high };
}
