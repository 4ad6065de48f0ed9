// How far the page is. Looks from inside until it seems calm, so that waiting costs no messages; answers after
// `wait.most` milliseconds in any case, and not before `wait.least`.
async (channel, decline, wait) => {
  const begun = performance.now();
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 30); });
  if (!globalThis.watched) globalThis.watched = { at: begun };

  const ask = () => {
    let told = { timers: 0, busy: 0, lazy: false, blind: true };
    const listen = (event) => { try { told = { ...told, ...JSON.parse(event.detail) }; } catch { /* a page that plays with our channel */ } };
    document.addEventListener(channel + "!", listen, { once: true });
    document.dispatchEvent(new CustomEvent(channel + "?"));
    document.removeEventListener(channel + "!", listen);
    return { timers: Number(told.timers) || 0, busy: Number(told.busy) || 0, lazy: !!told.lazy, blind: !!told.blind };
  };

  // <meta http-equiv=refresh content="0;url=…">: soon this will be another page.
  const refreshes = () => {
    const content = document.querySelector("meta[http-equiv=refresh i]")?.content ?? "";
    return /^\s*[0-3]?(\.\d*)?\s*[;,]/.test(content) && performance.now() - globalThis.watched.at < 4000 ? 1 : 0;
  };

  // Text of shadow roots counts too: a page of web components has no other.
  const countText = () => {
    let chars = 0;
    let budget = 20000;
    const roots = document.body ? [document.body] : [];
    for (const root of roots) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      for (let node = walker.currentNode; node && budget > 0; node = walker.nextNode()) {
        budget -= 1;
        const { nodeType, parentElement, shadowRoot } = builtin(node);
        if (nodeType === Node.TEXT_NODE) {
          const parent = builtin(parentElement)?.localName;
          if (parent !== "script" && parent !== "style" && parent !== "noscript") chars += node.data.trim().length;
        } else if (shadowRoot) roots.push(shadowRoot);
      }
    }
    return chars;
  };

  const framed = () => !!document.querySelector("iframe, frame, object, embed");
  const scripted = () => document.scripts.length > 0 || framed();

  // A beat is a frame and a task of the page's own event loop: whatever waited in it had its turn.
  let beats = 0;
  let since = globalThis.watched.at;
  const beat = async () => {
    await frame();
    await sleep(0);
    const { timers, busy } = ask();
    beats = globalThis.watched.at === since && !timers && !busy && !refreshes() ? beats + 1 : 0;
    since = globalThis.watched.at;
  };
  const calm = () => {
    const now = performance.now();
    const { timers, busy, blind } = ask();
    if (now - begun < wait.least || document.readyState !== "complete" || timers || busy || refreshes()) return false;
    if (!scripted()) return true;
    const still = now - globalThis.watched.at;
    const chars = countText();
    if (beats >= wait.beats && !blind && !framed()) return chars >= wait.chars || still >= (chars ? wait.quiet : wait.shell);
    return still >= wait.quiet && (still >= wait.shell || chars >= wait.chars);
  };
  while (!calm() && performance.now() - begun < wait.most) await beat();

  const root = builtin(document.scrollingElement || document.documentElement);
  const { timers, busy, lazy, blind } = ask();
  return {
    ready: document.readyState,
    url: location.href,
    scripts: scripted(),
    chars: countText(),
    still: performance.now() - globalThis.watched.at,
    timers: timers + refreshes(),
    busy,
    beats,
    blind: blind || framed(),
    lazy: lazy || !!document.querySelector("iframe[loading=lazy]"),
    consent: decline.find((selector) => builtin(document.querySelector(selector))?.checkVisibility()) ?? null,
    height: root ? root.scrollHeight : 0,
  };
}
