(() => {
  "use strict";
  const fields = [...document.querySelectorAll("#calculator select")];
  const leaf = (tree, codes) => {
    while (typeof tree === "object") {
      const code = codes[tree.column];
      const yes = tree.op === "is" ? code === tree.code
        : tree.op === ">=" ? code >= tree.code : code >= 2 && code < tree.code;
      tree = yes ? tree.yes : tree.no;
    }
    return tree;
  };
  const begin = (points, codes) => {
    if (points === null) return 0;
    let total = 0;
    for (const [column, own] of points.columns) {
      total += own[Math.min(Math.max(codes[column] - 1, 0), own.length - 1)][1];
    }
    if (points.limit !== null) total = Math.max(-points.limit, Math.min(points.limit, total));
    const each = points.grain * points.unit;
    return points.grain * Math.floor((2 * (points.base[1] + total) + each) / (2 * each));
  };
  const show = () => {
    const codes = Object.fromEntries(fields.map((field) => [field.name, Number(field.value)]));
    let margin = MODEL.least + begin(MODEL.points, codes);
    for (const [times, tree] of MODEL.trees) margin += 2 * times * leaf(tree, codes);
    const chance = MODEL.probabilities[(margin - MODEL.first) / 2];
    const sum = MODEL.base === null ? "" : `${(margin - MODEL.base) / MODEL.unit} points: `;
    const answer = document.getElementById("calculated");
    answer.textContent = `${sum}${(100 * chance).toFixed(1)}%`;
    answer.dataset.probability = chance;
  };
  for (const field of fields) field.addEventListener("change", show);
  show();
})();
