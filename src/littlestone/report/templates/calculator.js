(() => {
  "use strict";
  const fields = [...document.querySelectorAll("#calculator select")];
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const begin = (points, label, codes) => {
    if (points === null) return 0;
    let total = 0;
    for (const [column, own] of points.columns) {
      total += own[Math.min(Math.max(codes[column] - 1, 0), own.length - 1)][label];
    }
    if (points.limit !== null) total = Math.max(-points.limit, Math.min(points.limit, total));
    const each = points.grain * points.unit;
    return points.grain * Math.floor((2 * (points.base[label] + total) + each) / (2 * each));
  };
  const chances = (votes) => {
    const most = Math.max(...votes);
    const odds = votes.map((own) => Math.exp(MODEL.step * (own - most)));
    const shares = odds.map((own) => own / sum(odds));
    if (!MODEL.linked) return shares;
    let parts = shares.map(() => 1);
    for (let turn = 1; turn < shares.length; turn += 1) {
      parts = shares.map((own) => 1 - sum(shares.map((other, y) => parts[y] * Math.max(other - own, 0))));
    }
    return parts.map((own) => own / sum(parts));
  };
  const percent = (chance) => `${(100 * chance).toFixed(1)}%`;
  const show = () => {
    const answer = document.getElementById("calculated");
    const codes = codesOf(fields, answer);
    if (codes === null) return;
    const votes = MODEL.start.map((own, label) => own + begin(MODEL.points, label, codes));
    for (const [times, tree] of MODEL.trees) votes[leaf(tree, codes)] += times;
    if (MODEL.probabilities === null) {
      const found = chances(votes);
      const each = found.map((chance, label) => `${MODEL.labels[label]} ${percent(chance)}`);
      answer.textContent = `${MODEL.labels[votes.indexOf(Math.max(...votes))]} (${each.join(", ")})`;
      answer.dataset.probability = JSON.stringify(found);
      return;
    }
    const margin = votes[1] - votes[0];
    const chance = MODEL.probabilities[(margin - MODEL.first) / 2];
    const points = MODEL.base === null ? "" : ` (${(margin - MODEL.base) / MODEL.unit} points)`;
    answer.textContent = percent(chance) + points;
    answer.dataset.probability = chance;
  };
  for (const field of fields) field.addEventListener("change", show);
  show();
})();
