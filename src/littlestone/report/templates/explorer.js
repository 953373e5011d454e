"use strict";
// The formulas of certificates, in doubles. A number beyond doubles is kept as its logarithm.
const big = (log) => ({ log });
const isBig = (x) => typeof x === "object";
const add = (a, b) => (isBig(a) ? a : isBig(b) ? b : a + b);
const sub = (a, b) => (isBig(a) && !isBig(b) ? a : a - b);
const logOf = (x) => (isBig(x) ? x.log : Math.log(x));
const together = (a, b, log, plain) => (isBig(a) || isBig(b) ? back(log) : plain);
const back = (log) => (Math.abs(log) < 690 ? Math.exp(log) : big(log));
const mul = (a, b) => together(a, b, logOf(a) + logOf(b), a * b);
const div = (a, b) => together(a, b, logOf(a) - logOf(b), a / b);
const pow = (a, b) => (isBig(a) ? back(a.log * b) : Math.pow(a, b));
const log = (x) => logOf(x);
const { log1p, exp, sqrt, cosh, sinh, tanh, atanh, ceil, floor } = Math;
const ge = (a, b) => (isBig(a) || isBig(b) ? logOf(a) >= logOf(b) : a >= b);
const le = (a, b) => ge(b, a);
const max = (a, ...rest) => rest.reduce((x, y) => (ge(x, y) ? x : y), a);
const min = (a, ...rest) => rest.reduce((x, y) => (ge(x, y) ? y : x), a);

/** The least n from which on a certificate holds: the same search as in Python. */
function least(holds) {
  let low = 0, high = 1;
  while (!holds(high)) {
    low = high;
    high *= 2;
    if (high > 2 ** 52) return null;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle; else low = middle;
  }
  return high;
}

/** Interpolate a grid, linearly in logarithms; exact at its points. */
function between(curve, p) {
  let corners = [[0, 1]];
  for (const axis of curve.axes) {
    const points = GRID[axis];
    let i = 0;
    while (i + 2 < points.length && p[axis] >= points[i + 1]) i++;
    const above = points.length > 1 ? points[i + 1] : points[i];
    const share = points.length > 1 ? Math.log(p[axis] / points[i]) / Math.log(above / points[i]) : 0;
    const next = [];
    for (const [index, weight] of corners) {
      if (share < 1) next.push([index * points.length + i, weight * (1 - share)]);
      if (share > 0) next.push([index * points.length + i + 1, weight * share]);
    }
    corners = next;
  }
  let total = 0;
  for (const [index, weight] of corners) {
    if (curve.grid[index] === null) return null;
    total += weight * Math.log(curve.grid[index]);
  }
  return corners.length === 1 ? curve.grid[corners[0][0]] : Math.round(Math.exp(total));
}

const onGrid = (curve, p) => curve.axes.every((axis) => GRID[axis].includes(p[axis]));
const needs = (curve, p) => (curve.holds ? least((n) => curve.holds(p, n)) : between(curve, p));

// --- the page ---------------------------------------------------------------------------------
const at = (id) => document.getElementById(id);
const AXES = ["epsilon", "alpha", "beta", "delta", "m"];
const SYMBOL = { epsilon: "ε", alpha: "α", beta: "β", delta: "δ", m: "m" };
const SVG = "http://www.w3.org/2000/svg";
const hidden = new Set();
const ENORMOUS = 1e9; // such a curve would press all others to the floor: at first it is not drawn

const setting = () => Object.fromEntries(AXES.map((a) => [a, Number(STOPS[a][at(a).value])]));
const protect = () => (at("protect-users").checked ? "users" : "records");
const across = () => at("across").value;
const words = (n) => (n < 1e12 ? n.toLocaleString("en-US") : n.toExponential(2));

/** The curves that are shown: learners of records read one record of each user. */
function shown() {
  const users = protect() === "users";
  return CLASSES[at("class").value].curves.filter((c) => users || c.unit === "records");
}

function element(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function render() {
  const p = setting();
  const users = protect() === "users";
  for (const axis of AXES) {
    const text = STOPS[axis][at(axis).value];
    at(axis + "-value").textContent = text;
    at(axis).setAttribute("aria-valuetext", SYMBOL[axis] + " = " + text);
  }
  at("row-m").hidden = !users;
  at("across").querySelector("option[value=m]").disabled = !users;
  if (!users && across() === "m") at("across").value = "epsilon";
  at("setting").textContent = CLASSES[at("class").value].spec + ": " +
    AXES.filter((a) => users || a !== "m").map((a) => SYMBOL[a] + " = " + STOPS[a][at(a).value]).join(", ");
  const list = shown().map((curve) => ({ curve, n: needs(curve, p) }));
  list.sort((a, b) => (a.n ?? Infinity) - (b.n ?? Infinity));
  table(list, p, users);
  chart(list.filter(({ curve }) => !hidden.has(curve.id)), p, users);
  const state = AXES.map((a) => a + "=" + STOPS[a][at(a).value]);
  state.unshift("class=" + at("class").value, "protect=" + protect(), "across=" + across());
  try { history.replaceState(null, "", "#" + state.join("&")); } catch { /* some viewers forbid it */ }
}

function cell(tag, text, kind) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function table(list, p, users) {
  const body = at("needs");
  const focused = document.activeElement?.dataset?.curve;
  body.replaceChildren();
  for (const { curve, n } of list) {
    const row = document.createElement("tr");
    row.dataset.learner = curve.name + "/" + curve.setting;
    const name = document.createElement("th");
    name.scope = "row";
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !hidden.has(curve.id);
    box.dataset.curve = curve.id;
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(curve.id); else hidden.add(curve.id);
      render();
    });
    const swatch = element("svg", { width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true" },
      element("path", { d: "M1 5H25", class: "curve " + curve.style }));
    label.append(box, swatch, curve.name);
    name.append(label);
    const count = n === null ? "–" : words(n);
    const exact = curve.holds ? "formula" : onGrid(curve, p) ? "grid" : "grid, between points";
    const how = users && curve.unit === "records" ? " (one record each)" : "";
    const number = cell("td", (curve.holds || onGrid(curve, p) || n === null ? "" : "≈ ") + count, "n");
    if (n !== null) number.dataset.n = n;
    const certifies = cell("td", curve.setting);
    certifies.append(document.createElement("br"), cell("span", exact + how, "dim"));
    row.append(name, number, certifies);
    body.append(row);
  }
  at("unit").textContent = users ? "users" : "records";
  if (focused) body.querySelector(`[data-curve="${CSS.escape(focused)}"]`)?.focus();
  const best = list.find(({ curve, n }) => n !== null && curve.kind === "learner" && curve.setting === "agnostic");
  const cheap = list.find(({ curve, n }) => n !== null && curve.kind === "learner");
  const unit = users ? "users" : "records";
  const about = ({ curve, n }) => (curve.holds || onGrid(curve, p) ? "" : "about ") + words(n);
  at("answer").textContent = best
    ? `Any labels: ${best.curve.name}, ${about(best)} ${unit}.` +
      (cheap && cheap !== best ? ` If some concept is right on everybody: ${cheap.curve.name}, ${about(cheap)}.` : "")
    : "No learner here certifies any labels at this setting.";
}

function chart(list, p, users) {
  const axis = across();
  const wide = Math.max(300, Math.min(at("chart").clientWidth || 640, 720));
  const high = 320, left = 58, right = 14, top = 26, bottom = 44;
  const stops = STOPS[axis].map(Number);
  const lines = list.map(({ curve }) => ({
    curve,
    points: stops.map((x) => [x, needs(curve, { ...p, [axis]: x })]).filter(([, n]) => n !== null && n > 0),
  }));
  const all = lines.flatMap(({ points }) => points.map(([, n]) => n));
  const low = Math.floor(Math.log10(Math.min(...all, 1e9)));
  const tall = Math.max(Math.ceil(Math.log10(Math.max(...all, 1))), low + 1);
  const [x0, x1] = [Math.log(stops[0]), Math.log(stops.at(-1))];
  const xAt = (x) => left + ((Math.log(x) - x0) / (x1 - x0 || 1)) * (wide - left - right);
  const yAt = (n) => high - bottom - ((Math.log10(n) - low) / (tall - low)) * (high - top - bottom);
  const drawing = element("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-labelledby": "chart-title chart-desc" });
  drawing.append(element("title", { id: "chart-title" }, `What is needed against ${axis}`));
  drawing.append(element("desc", { id: "chart-desc" }, lines.filter(({ points }) => points.length).map(({ curve, points }) =>
    `${curve.name} (${curve.setting}): ${words(points[0][1])} at ${points[0][0]}, ${words(points.at(-1)[1])} at ${points.at(-1)[0]}`).join("; ")));
  const step = Math.ceil((tall - low) / 8);
  for (let power = low; power <= tall; power += step) {
    const y = yAt(10 ** power);
    drawing.append(element("path", { d: `M${left} ${y}H${wide - right}`, class: "rule-line" }));
    drawing.append(element("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, power < 6 ? words(10 ** power) : "1e" + power));
  }
  let last = -Infinity;
  for (const [i, x] of stops.entries()) {
    const marked = GRID[axis].includes(x) || i === 0 || i === stops.length - 1;
    if (!marked || xAt(x) - last < 44) continue;
    last = xAt(x);
    const anchor = i === stops.length - 1 ? "end" : "middle";
    drawing.append(element("text", { x: anchor === "end" ? wide - right : last, y: high - bottom + 18, "text-anchor": anchor }, STOPS[axis][i]));
  }
  drawing.append(element("text", { x: 4, y: 14 }, users ? "users needed" : "records needed"));
  drawing.append(element("text", { x: wide - right, y: high - 6, "text-anchor": "end" }, NAMES[axis]));
  drawing.append(element("path", { d: `M${xAt(p[axis])} ${top}V${high - bottom}`, class: "here" }));
  for (const { curve, points } of lines) {
    if (!points.length) continue;
    const d = points.map(([x, n], i) => `${i ? "L" : "M"}${xAt(x).toFixed(1)} ${yAt(n).toFixed(1)}`).join("");
    drawing.append(element("path", { d, class: "curve " + curve.style }));
    const n = needs(curve, p);
    if (n) drawing.append(element("circle", { cx: xAt(p[axis]), cy: yAt(n), r: 4, class: "dot " + curve.style }));
  }
  at("chart").replaceChildren(drawing);
}

function start() {
  const wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  for (const axis of AXES) {
    const place = STOPS[axis].indexOf(wanted[axis]);
    if (place >= 0) at(axis).value = place;
  }
  if (CLASSES[wanted.class]) at("class").value = wanted.class;
  if (wanted.protect === "users") at("protect-users").checked = true;
  if (wanted.protect === "records") at("protect-records").checked = true;
  if (AXES.includes(wanted.across)) at("across").value = wanted.across;
  const p = setting();
  for (const { curves } of CLASSES) {
    for (const curve of curves) if (needs(curve, p) > ENORMOUS) hidden.add(curve.id);
  }
  at("controls").addEventListener("input", render);
  at("controls").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("resize", render);
  window.addEventListener("beforeprint", render);
  render();
}
start();
