(() => {
  "use strict";
  const fields = [...document.querySelectorAll("#calculator select")];
  const answer = document.getElementById("calculated");
  const score = (codes, period) => {
    const all = { ...codes, [MODEL.period]: 2 + period };
    let total = MODEL.start[period];
    for (const [step, tree] of MODEL.trees) total += step * (2 * leaf(tree, all) - 1);
    return Math.max(MODEL.limits[0], Math.min(MODEL.limits[1], total));
  };
  const survival = (codes) => {
    let risk = 0;
    return MODEL.ends.map((_, period) => {
      const s = score(codes, period) / MODEL.parts;
      risk += Math.log1p(Math.min(1, 2 / (1 + Math.exp(-s))) * Math.max(1, (1 + Math.exp(s)) / 2));
      return Math.exp(-risk);
    });
  };
  const bars = (chances) => {
    const rows = [...document.querySelectorAll("#survival tr")];
    chances.forEach((chance, i) => {
      rows[i].children[1].textContent = `${(100 * chance).toFixed(1)}%`;
      rows[i].querySelector("span").style.width = `${100 * chance}%`;
    });
  };
  const show = () => {
    const codes = codesOf(fields, answer);
    if (MODEL.kind === "time") {
      document.getElementById("survival").hidden = codes === null;
      answer.parentElement.hidden = codes !== null;
    }
    if (codes === null) return;
    if (MODEL.kind === "time") {
      const chances = survival(codes);
      answer.dataset.value = JSON.stringify(chances);
      bars(chances);
      return;
    }
    const own = score(codes, 0);
    const power = MODEL.parts * Math.exp(own / MODEL.parts);
    const value = MODEL.kind === "count" ? power / MODEL.parts : MODEL.low + (MODEL.log ? power : own) * MODEL.cell;
    const written = (number) => MODEL.kind === "count" ? String(Number(number.toPrecision(3))) : number.toFixed(MODEL.digits);
    answer.dataset.value = value;
    answer.textContent = written(value);
    if (MODEL.width === null) return;
    const [first, unit, most] = MODEL.scale;
    const middle = MODEL.kind === "count" || MODEL.log ? Math.round(power) : own;
    const ends = [-MODEL.width, MODEL.width].map((far) => first + Math.max(0, Math.min(most, middle + far)) * unit);
    answer.dataset.interval = JSON.stringify(ends);
    answer.textContent += ` (${MODEL.level}: ${written(ends[0])} to ${written(ends[1])})`;
  };
  for (const field of fields) field.addEventListener("change", show);
  show();
})();
