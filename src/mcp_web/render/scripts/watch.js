// Runs in the page's own world before any of its scripts. It only observes, with two exceptions:
// shadow roots are opened so that their text can be read, and new windows do not open.
(() => {
  const CHANNEL = "__CHANNEL__";
  const AWAITED_DELAY = 3000; // a timer of a minute is not what a reader waits for
  const AWAITED_DEPTH = 3; // timers that start timers are polling or animation
  const pending = new Map();
  const seen = { lazy: false };
  let depth = 0;

  const { setTimeout: realSet, clearTimeout: realClear } = window;
  window.setTimeout = function setTimeout(callback, delay, ...rest) {
    const level = depth + 1;
    const awaited = level <= AWAITED_DEPTH && delay > 0 && delay <= AWAITED_DELAY;
    const run = typeof callback === "function" ? callback : () => (0, eval)(String(callback));
    const id = realSet.call(window, function () {
      pending.delete(id);
      const before = depth;
      depth = level;
      try {
        return run.apply(this, rest);
      } finally {
        depth = before;
      }
    }, delay);
    if (awaited) pending.set(id, performance.now() + delay);
    return id;
  };
  window.clearTimeout = function clearTimeout(id) {
    pending.delete(id);
    return realClear.call(window, id);
  };

  const realAttach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(init) {
    return realAttach.call(this, { ...init, mode: "open" });
  };

  const RealObserver = window.IntersectionObserver;
  if (RealObserver) {
    window.IntersectionObserver = class IntersectionObserver extends RealObserver {
      observe(target) {
        seen.lazy = true;
        return super.observe(target);
      }
    };
  }
  const realListen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function addEventListener(type, ...rest) {
    if (type === "scroll" || type === "wheel") seen.lazy = true;
    return realListen.call(this, type, ...rest);
  };

  window.open = () => null;
  window.print = () => undefined;

  // Our own isolated world asks through a DOM event: objects are not shared between worlds, events are.
  realListen.call(document, CHANNEL + "?", () => {
    const now = performance.now();
    let waiting = 0;
    for (const due of pending.values()) if (due > now - 1000) waiting += 1;
    document.dispatchEvent(new CustomEvent(CHANNEL + "!", { detail: JSON.stringify({ timers: waiting, lazy: seen.lazy }) }));
  });
})();
