const leaf = (tree, codes) => {
  while (typeof tree === "object") {
    const code = codes[tree.column];
    const yes = tree.op === "is" ? code === tree.code
      : tree.op === ">=" ? code >= tree.code : code >= 2 && code < tree.code;
    tree = yes ? tree.yes : tree.no;
  }
  return tree;
};
