// The document as a person sees it, written as HTML: shadow roots and frames of the same origin in their place,
// invisible text left out, scripts gone, links absolute. Runs in our isolated world, so a page cannot
// change what these functions do.
(limits) => {
  const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
  const GONE = new Set("script style noscript template canvas object embed applet frameset datalist link meta base".split(" "));
  const DROPPED_ATTRIBUTES = new Set("style srcdoc nonce integrity srcset sizes ping crossorigin".split(" "));
  const CONSENT = /cookie|consent|gdpr|onetrust|cybot|didomi|usercentrics|cmp-?container|fc-consent|truste|klaro/i;
  const out = [];
  const facts = { hidden: 0, hiddenChars: 0, consent: 0, cut: false, frames: [] };
  let nodes = 0;
  let size = 0;

  // Motion ends where it leads: what fades in counts as visible, what fades out as gone.
  const finishMotion = (page) => {
    for (const animation of page.getAnimations()) {
      try { animation.finish(); } catch { animation.cancel(); } // an endless one has no end
    }
  };
  finishMotion(document);

  const escapeText = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const escapeValue = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  const put = (text) => {
    size += text.length;
    if (size > limits.chars) facts.cut = true;
    else out.push(text);
  };

  const colour = (value) => {
    const parts = value.match(/[\d.]+/g)?.map(Number);
    if (!parts || parts.length < 3 || !value.startsWith("rgb")) return null;
    return [parts[0], parts[1], parts[2], parts.length > 3 ? parts[3] : 1];
  };
  const tooClose = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) < 24;

  // What a subtree inherits from the boxes around it.
  const enter = (style, above, box) => {
    const state = { ...above };
    const background = colour(style.backgroundColor);
    if (style.backgroundImage !== "none") state.background = null; // a picture: anything may be readable on it
    else if (background && background[3] > 0.95) state.background = background;
    else if (background && background[3] > 0.05) state.background = null;
    if (/^(hidden|clip|scroll|auto)$/.test(style.overflowX) || /^(hidden|clip|scroll|auto)$/.test(style.overflowY)) {
      const scrolls = /scroll|auto/.test(style.overflowX + style.overflowY);
      const area = box();
      if (area.width <= 2 || area.height <= 2) state.clipped = true;
      else if (!scrolls) {
        // Only a box that cannot be scrolled hides what lies beyond it; sideways it may be a carousel.
        state.top = Math.max(state.top, area.top);
        state.bottom = style.overflowY === "hidden" || style.overflowY === "clip" ? Math.min(state.bottom, area.bottom) : state.bottom;
      }
    }
    if (style.position === "fixed") { state.top = -Infinity; state.bottom = Infinity; }
    return state;
  };

  const clippedAway = (style) => {
    const clip = style.clip;
    if (clip && clip !== "auto" && style.position !== "static" && style.position !== "relative") {
      const [top, right, bottom, left] = (clip.match(/-?[\d.]+/g) ?? []).map(Number);
      if (bottom - top <= 2 || right - left <= 2) return true;
    }
    const path = style.clipPath;
    if (path && path !== "none") {
      const inset = path.match(/^inset\(([\d.]+)%/);
      if (inset && Number(inset[1]) >= 50) return true;
      if (/^(circle|ellipse)\(0(px|%)?[ )]/.test(path)) return true;
      if (/^polygon\(/.test(path) && new Set(path.match(/[\d.]+(px|%)?/g)).size <= 1) return true;
    }
    return false;
  };

  const goneWhole = (element, style) => {
    if (style.display === "none") return true;
    if (Number(style.opacity) < 0.05) return true;
    if (style.contentVisibility === "hidden" && !element.closest("details, [hidden=until-found]")) return true;
    if (/opacity\((0(\.0\d*)?|0%)\)/.test(style.filter)) return true;
    const mask = style.maskImage ?? style.webkitMaskImage ?? "none";
    if (mask !== "none" && /^linear-gradient\((rgba\(0, 0, 0, 0\)|transparent)[^)]*(rgba\(0, 0, 0, 0\)|transparent)?\)+$/.test(mask)) return true;
    return clippedAway(style);
  };

  const textHidden = (node, style, state) => {
    if (state.clipped || style.visibility !== "visible") return true;
    if (parseFloat(style.fontSize) < 2) return true;
    const ink = colour(style.webkitTextFillColor || style.color);
    if (ink && !/text/.test(style.webkitBackgroundClip || style.backgroundClip)) {
      if (ink[3] < 0.05 && style.textShadow === "none") return true;
      if (state.background && ink[3] > 0.95 && tooClose(ink, state.background) && style.textShadow === "none") return true;
    }
    const range = node.ownerDocument.createRange();
    range.selectNodeContents(node);
    const area = range.getBoundingClientRect();
    if (area.width < 0.5 || area.height < 0.5) return !node.parentElement?.closest("details");
    const view = node.ownerDocument.defaultView;
    const left = area.left + view.scrollX;
    const top = area.top + view.scrollY;
    if (left + area.width <= 0 || top + area.height <= 0) return true;
    if (left > 10000 || top > 2000000) return true;
    return area.bottom <= state.top || area.top >= state.bottom;
  };

  const drop = (node) => {
    const text = node.textContent?.trim() ?? "";
    if (text) { facts.hidden += 1; facts.hiddenChars += text.length; }
  };

  const isConsent = (element, style) => {
    if (style.position !== "fixed" && style.position !== "sticky" && element.getAttribute("role") !== "dialog" && !element.id.startsWith("onetrust")) return false;
    const label = `${element.id} ${element.className} ${element.getAttribute("aria-label") ?? ""}`;
    return CONSENT.test(label) && (element.textContent?.length ?? 0) < 6000 && !element.querySelector("main, article");
  };

  const attributes = (element) => {
    let text = "";
    for (const { name, value } of element.attributes) {
      if (DROPPED_ATTRIBUTES.has(name) || name.startsWith("on") || value.length > 4000) continue;
      let kept = value;
      if (name === "href" || name === "src" || name === "poster" || name === "cite") {
        const full = typeof element[name] === "string" ? element[name] : value;
        if (!/^(https?|mailto|tel|data:image):?/i.test(full)) continue;
        kept = full.startsWith("data:") && full.length > 200 ? "" : full;
        // A link inside the page stays one.
        if (name === "href" && value.startsWith("#")) kept = value;
      }
      if (!/^[a-z_][\w.:-]*$/i.test(name)) continue;
      text += ` ${name}="${escapeValue(kept)}"`;
    }
    return text;
  };

  // Custom elements mean nothing to a reader of HTML: they become what they look like.
  const tagOf = (element, style) => {
    const name = element.localName;
    if (!name.includes("-") && /^[a-z][a-z0-9]*$/.test(name)) return name;
    return /^(inline|contents)/.test(style.display) ? "span" : "div";
  };

  const children = (node) => {
    if (node.localName === "slot") {
      const given = node.assignedNodes({ flatten: true });
      if (given.length) return given;
    }
    return (node.shadowRoot ?? node).childNodes;
  };

  const tex = (element) => {
    const note = element.querySelector('annotation[encoding="application/x-tex"]');
    return note && note.textContent.length < 2000 ? element.querySelector("math")?.outerHTML ?? "" : "";
  };

  const frame = (element, depth) => {
    let inner = null;
    try { inner = element.contentDocument; } catch { /* another origin */ }
    if (inner?.body && inner.body.childNodes.length) {
      put("<div>");
      finishMotion(inner);
      const style = inner.defaultView.getComputedStyle(inner.body);
      const fresh = { background: [255, 255, 255, 1], clipped: false, top: -Infinity, bottom: Infinity };
      if (!goneWhole(inner.body, style)) for (const child of inner.body.childNodes) visit(child, fresh, style, depth + 1);
      put("</div>");
    } else {
      const mark = element.getAttribute("data-mcp-web-frame");
      put(`<iframe${attributes(element)}></iframe>`);
      if (mark !== null) put(`<!--mcp-web-frame-${mark}-->`);
    }
  };

  const visit = (node, state, style, depth) => {
    if (facts.cut) return;
    nodes += 1;
    if (nodes > limits.nodes || depth > limits.depth) { facts.cut = true; return; }
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.data.trim()) put(node.data ? (node.data.includes("\n") ? "\n" : " ") : "");
      else if (textHidden(node, style, state)) { facts.hidden += 1; facts.hiddenChars += node.data.trim().length; }
      else put(escapeText(node.data));
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || GONE.has(node.localName)) return;
    element(node, state, depth);
  };

  const element = (node, state, depth) => {
    const style = node.ownerDocument.defaultView.getComputedStyle(node);
    // Formulas carry their source in a part that only screen readers get: worth more than the drawn glyphs.
    if (node.classList.contains("katex-mathml") || node.localName === "mjx-assistive-mml") { put(tex(node)); return; }
    if (goneWhole(node, style)) { drop(node); return; }
    if (isConsent(node, style)) { facts.consent += 1; return; }
    if (node.localName === "svg") {
      const label = node.querySelector(":scope > title")?.textContent;
      if (label && node.getAttribute("role") === "img") put(`<img alt="${escapeValue(label)}">`);
      return;
    }
    if (node.localName === "iframe" || node.localName === "frame") {
      const area = node.getBoundingClientRect();
      const offScreen = area.right + scrollX <= 0 || area.bottom + scrollY <= 0;
      if (node.clientWidth > 2 && node.clientHeight > 2 && !offScreen && !state.clipped) frame(node, depth);
      return;
    }
    const inner = enter(style, state, () => node.getBoundingClientRect());
    if (node.localName === "body") { inner.top = -Infinity; inner.bottom = Infinity; inner.clipped = false; }
    const tag = tagOf(node, style);
    put(`<${tag}${attributes(node)}>`);
    if (VOID.has(tag)) return;
    if (tag === "textarea") put(escapeText(node.value));
    else for (const child of children(node)) visit(child, inner, style, depth + 1);
    put(`</${tag}>`);
  };

  const head = () => {
    put(`<head><meta charset="utf-8"><title>${escapeText(document.title)}</title>`);
    for (const node of document.querySelectorAll("meta[name], meta[property], meta[itemprop], link[rel]")) {
      if (node.localName === "link" && !/canonical|alternate|author|license|next|prev|icon/i.test(node.rel)) continue;
      put(`<${node.localName}${attributes(node)}>`);
    }
    for (const node of document.querySelectorAll('script[type="application/ld+json"]')) {
      put(`<script type="application/ld+json">${node.textContent.replace(/<\//g, "<\\/")}</script>`);
    }
    put("</head>");
  };

  const root = document.documentElement;
  if (limits.partOnly) {
    const style = getComputedStyle(document.body);
    const start = { background: [255, 255, 255, 1], clipped: false, top: -Infinity, bottom: Infinity };
    for (const child of document.body.childNodes) visit(child, start, style, 1);
  } else {
    put(`<!doctype html><html${attributes(root)}>`);
    head();
    const start = { background: colour(getComputedStyle(root).backgroundColor), clipped: false, top: -Infinity, bottom: Infinity };
    if (!start.background || start.background[3] < 0.95) start.background = [255, 255, 255, 1];
    if (document.body) element(document.body, start, 0);
    put("</html>");
  }
  return { html: out.join(""), title: document.title, url: location.href, lang: root.lang, ...facts };
}
