// A pad: classes at the corners of a regular polygon, a point inside, and the weight of each class there.

// Corners (x, y) on a circle of radius 1, the first at the top; two are left and right.
export function corners(count) {
  if (count === 1) return [[0, 0]];
  if (count === 2) return [[-1, 0], [1, 0]];
  const first = count === 4 ? Math.PI * 0.75 : Math.PI / 2;
  return Array.from({ length: count }, (_, k) => [Math.cos(first - (2 * Math.PI * k) / count), Math.sin(first - (2 * Math.PI * k) / count)]);
}

// The part of the plane to show: { left, top, wide, tall }, y downwards.
export function padView(places, room = 0.32) {
  const xs = places.map(([x]) => x), ys = places.map(([, y]) => -y);
  const left = Math.min(...xs) - room, right = Math.max(...xs) + room, middle = (Math.min(...ys) + Math.max(...ys)) / 2;
  const tall = Math.max(Math.max(...ys) - Math.min(...ys) + 2 * room, 0.9);
  return { left, top: middle - tall / 2, wide: right - left, tall };
}

const cross = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
const onSegment = (a, b, [x, y]) => {
  const along = [b[0] - a[0], b[1] - a[1]], length = along[0] ** 2 + along[1] ** 2;
  const share = Math.min(Math.max(((x - a[0]) * along[0] + (y - a[1]) * along[1]) / length, 0), 1);
  return { share, at: [a[0] + share * along[0], a[1] + share * along[1]] };
};

// { at, values }: the point, moved onto the pad, and weights that sum to 1. In a triangle they are barycentric; with more
// corners they are Wachspress's coordinates, which are smooth, 1 at a corner and linear along the sides.
export function padWeights(places, point) {
  const count = places.length;
  if (count === 1) return { at: places[0], values: [1] };
  if (count === 2) {
    const { share, at } = onSegment(places[0], places[1], point);
    return { at, values: [1 - share, share] };
  }
  const next = (k) => places[(k + 1) % count], last = (k) => places[(k + count - 1) % count];
  const turn = Math.sign(cross(places[0], places[1], places[2]));
  let at = point, edge = -1, away = Infinity;
  if (places.some((corner, k) => turn * cross(corner, next(k), point) < 1e-9)) {
    places.forEach((corner, k) => { // the nearest point of the rim
      const near = onSegment(corner, next(k), point), apart = (near.at[0] - point[0]) ** 2 + (near.at[1] - point[1]) ** 2;
      if (apart < away) { away = apart; at = near.at; edge = k; }
    });
    const { share } = onSegment(places[edge], next(edge), point);
    return { at, values: places.map((_, k) => (k === edge ? 1 - share : k === (edge + 1) % count ? share : 0)) };
  }
  const values = places.map((corner, k) => cross(last(k), corner, next(k)) / (cross(last(k), corner, at) * cross(corner, next(k), at)) );
  const sum = values.reduce((a, b) => a + b, 0);
  return { at, values: values.map((one) => one / sum) };
}
