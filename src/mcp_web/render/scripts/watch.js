// Runs in the page's own world before any of its scripts. It only observes, with two exceptions:
// shadow roots are opened so that their text can be read, and new windows do not open.
//
// What it observes is work a page has begun and not finished: requests, bodies being read, timers a reader would wait
// for, frames and idle moments asked for. `blind` says that the page also does things that leave no such mark.
(() => {
  const CHANNEL = "__CHANNEL__";
  const AWAITED_DELAY = 3000; // a timer of a minute is not what a reader waits for
  const AWAITED_DEPTH = 3; // timers that start timers are polling or animation
  const pending = new Map();
  const seen = { lazy: false, blind: false, busy: 0 };
  let leaving = null;
  let depth = 0;

  const until = (promise) => {
    seen.busy += 1;
    const done = () => { seen.busy -= 1; };
    promise.then(done, done);
    return promise;
  };
  const wrap = (owner, name, make) => {
    const real = owner?.[name];
    if (typeof real === "function") owner[name] = { [name](...args) { return make.call(this, real, args); } }[name];
  };

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

  wrap(window, "fetch", function (real, args) { return until(real.apply(this, args)); });
  for (const name of ["arrayBuffer", "blob", "bytes", "formData", "json", "text"]) {
    wrap(Response.prototype, name, function (real, args) { return until(real.apply(this, args)); });
  }
  wrap(XMLHttpRequest.prototype, "send", function (real, args) {
    let open = true;
    const done = () => { if (open) { open = false; seen.busy -= 1; } };
    seen.busy += 1;
    realListen.call(this, "loadend", done, { once: true });
    try {
      return real.apply(this, args);
    } catch (error) {
      done(); // never sent, so it never ends
      throw error;
    }
  });

  // Work that answers when it likes: whoever uses it is watched by the clock, as before anything else was known.
  const blinds = (real, args, self) => { seen.blind = true; return real.apply(self, args); };
  const HIDDEN = [
    [window, ["setInterval", "requestIdleCallback"]],
    [window.scheduler, ["postTask"]],
    [window.IDBFactory?.prototype, ["open"]],
    [window.CacheStorage?.prototype, ["open", "match"]],
    [window.WebAssembly, ["compile", "compileStreaming", "instantiate", "instantiateStreaming"]],
    [window.ReadableStream?.prototype, ["getReader", "pipeTo", "pipeThrough"]],
    [window.SubtleCrypto?.prototype, ["deriveBits", "deriveKey", "digest", "decrypt", "importKey"]],
    [window.Geolocation?.prototype, ["getCurrentPosition"]],
  ];
  for (const [owner, names] of HIDDEN) {
    for (const name of names) wrap(owner, name, function (real, args) { return blinds(real, args, this); });
  }
  for (const name of ["Worker", "SharedWorker", "WebSocket", "EventSource", "WebTransport", "BroadcastChannel"]) {
    if (!window[name]) continue;
    window[name] = new Proxy(window[name], {
      construct(target, args, self) { seen.blind = true; return Reflect.construct(target, args, self); },
    });
  }

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

  // On its way to another document: what stands here now is not what a reader will see.
  if (window.navigation) {
    const stay = () => { leaving = null; };
    realListen.call(window.navigation, "navigate", (event) => {
      if (!event.destination.sameDocument && event.downloadRequest === null) leaving = performance.now();
    });
    realListen.call(window.navigation, "navigatesuccess", stay);
    realListen.call(window.navigation, "navigateerror", stay);
  }

  window.open = () => null;
  window.print = () => undefined;

  // Bound now: an element of the page may be named "dispatchEvent".
  const tell = document.dispatchEvent.bind(document);
  // Our own isolated world asks through a DOM event: objects are not shared between worlds, events are.
  realListen.call(document, CHANNEL + "?", () => {
    const now = performance.now();
    let timers = 0;
    for (const due of pending.values()) if (due > now - 1000) timers += 1;
    const busy = seen.busy + (leaving !== null && now - leaving < AWAITED_DELAY ? 1 : 0);
    const detail = JSON.stringify({ lazy: seen.lazy, blind: seen.blind, busy, timers });
    tell(new CustomEvent(CHANNEL + "!", { detail }));
  });
})();
