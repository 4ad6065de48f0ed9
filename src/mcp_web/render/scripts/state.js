// One look at the page, from our isolated world: how far it is, how much text, when the text last changed.
(channel, decline) => {
  const now = performance.now();
  if (!globalThis.watched || globalThis.watched.document !== document) {
    const watched = { document, changed: now };
    new MutationObserver(() => { watched.changed = performance.now(); }).observe(document, {
      subtree: true, childList: true, characterData: true,
    });
    globalThis.watched = watched;
  }
  let told = { timers: 0, lazy: false };
  const listen = (event) => { try { told = JSON.parse(event.detail); } catch { /* a page that plays with our channel */ } };
  document.addEventListener(channel + "!", listen, { once: true });
  document.dispatchEvent(new CustomEvent(channel + "?"));
  document.removeEventListener(channel + "!", listen);

  // Text of shadow roots counts too: a page of web components has no other.
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
  const root = document.scrollingElement || document.documentElement;
  return {
    ready: document.readyState,
    url: location.href,
    scripts: document.scripts.length > 0 || !!document.querySelector("iframe"),
    chars,
    still: now - globalThis.watched.changed,
    timers: Number(told.timers) || 0,
    lazy: !!told.lazy || !!document.querySelector("iframe[loading=lazy]"),
    consent: decline.find((selector) => document.querySelector(selector)?.checkVisibility()) ?? null,
    height: root ? root.scrollHeight : 0,
  };
}
