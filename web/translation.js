// Keeps the page alive under the browser's own translation, which puts a <font> in the place of each
// text: the page would write on into texts that nobody sees any more, and look for them in vain.
const inPlaceOf = new WeakMap();

// A text that the page has changed comes back, and is translated anew.
const changes = new MutationObserver((records) => {
  for (const { target } of records) {
    const font = inPlaceOf.get(target);
    inPlaceOf.delete(target);
    if (font?.isConnected) font.replaceWith(target);
  }
});

const isFont = (node) => node?.nodeName === "FONT";

new MutationObserver((records) => {
  for (const { addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    for (const text of removedNodes) {
      if (text.nodeType !== Node.TEXT_NODE || text.isConnected) continue;
      const font = [addedNodes[0], previousSibling, nextSibling].find(isFont);
      if (!font) continue;
      inPlaceOf.set(text, font);
      changes.observe(text, { characterData: true });
    }
  }
}).observe(document.documentElement, { childList: true, subtree: true });

// What the page does to a text whose place was taken is meant for what stands there.
const standing = (parent, node) => {
  const font = node && node.parentNode !== parent ? inPlaceOf.get(node) : undefined;
  return font?.parentNode === parent ? font : node;
};
const { insertBefore, removeChild } = Node.prototype;
Node.prototype.insertBefore = function (node, before) {
  return insertBefore.call(this, node, standing(this, before));
};
Node.prototype.removeChild = function (node) {
  removeChild.call(this, standing(this, node));
  return node;
};
