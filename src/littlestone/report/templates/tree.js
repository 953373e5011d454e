const leaf = (tree, codes) => {
  while (typeof tree === "object") {
    const code = codes[tree.column];
    const yes = tree.op === "is" ? code === tree.code
      : tree.op === ">=" ? code >= tree.code : code >= 2 && code < tree.code;
    tree = yes ? tree.yes : tree.no;
  }
  return tree;
};
const codesOf = (fields, answer) => {
  const known = fields.every((field) => field.value !== "");
  for (const name of known ? [] : Object.keys(answer.dataset)) delete answer.dataset[name];
  answer.textContent = known ? "" : "choose a value for each column";
  return known ? Object.fromEntries(fields.map((field) => [field.name, Number(field.value)])) : null;
};
