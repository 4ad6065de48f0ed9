// How far the page is. Looks from inside until it seems calm, so that waiting costs no messages; answers after
// `wait.most` milliseconds in any case, and not before `wait.least`.
async (channel, decline, wait) => {
  const begun = performance.now();
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  if (!globalThis.watched) globalThis.watched = { at: begun };

  const ask = () => {
    let told = { timers: 0, lazy: false };
    const listen = (event) => { try { told = JSON.parse(event.detail); } catch { /* a page that plays with our channel */ } };
    document.addEventListener(channel + "!", listen, { once: true });
    document.dispatchEvent(new CustomEvent(channel + "?"));
    document.removeEventListener(channel + "!", listen);
    return { timers: Number(told.timers) || 0, lazy: !!told.lazy };
  };

  // Text of shadow roots counts too: a page of web components has no other.
  const countText = () => {
    let chars = 0;
    let budget = 20000;
    const count = (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      for (let node = walker.currentNode; node && budget > 0; node = walker.nextNode()) {
        budget -= 1;
        if (node.nodeType === Node.TEXT_NODE) {
          const parent = node.parentElement && node.parentElement.localName;
          if (parent !== "script" && parent !== "style" && parent !== "noscript") chars += node.data.trim().length;
        } else if (node.shadowRoot) count(node.shadowRoot);
      }
    };
    if (document.body) count(document.body);
    return chars;
  };

  const scripted = () => document.scripts.length > 0 || !!document.querySelector("iframe");
  const calm = () => {
    const now = performance.now();
    if (now - begun < wait.least || document.readyState !== "complete" || ask().timers) return false;
    if (!scripted()) return true;
    const still = now - globalThis.watched.at;
    return still >= wait.quiet && (still >= wait.shell || countText() >= wait.chars);
  };
  while (!calm() && performance.now() - begun < wait.most) await sleep(10);

  const root = document.scrollingElement || document.documentElement;
  const { timers, lazy } = ask();
  return {
    ready: document.readyState,
    url: location.href,
    scripts: scripted(),
    chars: countText(),
    still: performance.now() - globalThis.watched.at,
    timers,
    lazy: lazy || !!document.querySelector("iframe[loading=lazy]"),
    consent: decline.find((selector) => document.querySelector(selector)?.checkVisibility()) ?? null,
    height: root ? root.scrollHeight : 0,
  };
}
