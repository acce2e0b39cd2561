// Colors, and the shaders shared by everything with volume.

export const ROLES = { input: "#3b82d6", variant: "#35a264", extra: "#d9534f" };
export const THEMES = {
  light: { sky: "#f4f5f7", floor: "#fdfdfd", line: "#c3cad3", ink: "#20262d", shadow: "#1c2733", shade: 0.34 },
  dark: { sky: "#12161b", floor: "#20262e", line: "#3d4854", ink: "#e4e8ec", shadow: "#000000", shade: 0.62 },
};
export const SLIDES = "#e5352b";

// Slightly different blues (greens, reds) for shapes of the same role.
export function colorOf(THREE, role, number, total) {
  const color = new THREE.Color().setStyle(ROLES[role] ?? ROLES.input, THREE.LinearSRGBColorSpace);
  const spread = total > 1 ? ((number * 0.618) % 1) - 0.5 : 0;
  return color.offsetHSL(0.035 * spread, 0, 0.11 * spread);
}

export function plainColor(THREE, style) {
  return new THREE.Color().setStyle(style, THREE.LinearSRGBColorSpace);
}

// A key light from the front left, sky above, floor below, and a thin rim; then haze into the sky.
export const LIGHT = /* glsl */ `
  uniform vec3 sky; uniform float haze; uniform float night;
  vec3 lit(vec3 color, vec3 n, vec3 eye, float away) {
    float key = max(dot(n, normalize(vec3(-0.45, 0.8, 0.55))), 0.0);
    float fill = max(dot(n, normalize(vec3(0.7, 0.25, -0.4))), 0.0);
    float up = 0.5 + 0.5 * n.y;
    float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
    float gleam = pow(max(dot(n, normalize(normalize(vec3(-0.45, 0.8, 0.55)) + eye)), 0.0), 28.0);
    vec3 shown = color * (mix(0.34, 0.62, up) + 0.62 * key + 0.14 * fill) + gleam * 0.16;
    shown += rim * mix(0.10, 0.16, night) * mix(color, vec3(1.0), 0.6);
    return mix(shown, sky, 1.0 - exp(-max(away - haze, 0.0) * max(away - haze, 0.0) / (haze * haze * 3.0)));
  }`;

// The fragment shader of any surface, visible from both sides; vertex shaders set `vNormal` and `vPlace`.
export const SURFACE = /* glsl */ `
  varying vec3 vNormal; varying vec3 vPlace; uniform vec3 color;
  ${LIGHT}
  void main() {
    vec3 eye = cameraPosition - vPlace; float away = length(eye);
    vec3 n = normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0);
    gl_FragColor = vec4(lit(color, n, eye / away, away), 1.0);
  }`;
