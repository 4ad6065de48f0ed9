// Runs in our isolated world from the first moment of a document: remembers when it last changed or received something.
(() => {
  const watched = { at: performance.now() };
  const changed = () => { watched.at = performance.now(); };
  new MutationObserver(changed).observe(document, { subtree: true, childList: true, characterData: true });
  new PerformanceObserver(changed).observe({ type: "resource" });
  globalThis.watched = watched;
})();
