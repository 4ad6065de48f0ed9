// The document as a person sees it, written as HTML: shadow roots and frames of the same origin in their place,
// invisible text left out, scripts gone, links absolute. Runs in our isolated world, so a page cannot change what these
// functions do. What may be a form is read through `builtin`. A frame that cannot be read from here gets a mark with its
// number, its index in `unread`; it is read in its own document (with `partOnly`), and put in place of the mark.
(limits) => {
  const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
  const GONE = new Set("script style noscript template canvas object embed applet frameset datalist link meta base".split(" "));
  const DROPPED_ATTRIBUTES = new Set("style srcdoc nonce integrity srcset sizes ping crossorigin".split(" "));
  const CONSENT = /cookie|consent|gdpr|onetrust|cybot|didomi|usercentrics|cmp-?container|fc-consent|truste|klaro/i;
  const out = [];
  const facts = { hidden: 0, consent: 0, cut: false };
  const unread = (globalThis.unread = []);
  let nodes = 0;
  let size = 0;

  // Motion ends where it leads: what fades in counts as visible, what fades out as gone. What waits for minutes, stands
  // still or is never seen in any of its steps stays as it is.
  const stays = (animation) => {
    const { delay, iterations, duration } = animation.effect?.getTiming() ?? {};
    if (animation.playState === "paused" || delay > 60000) return true;
    if (iterations * (Number(duration) || 0) < 60000) return false;
    return animation.effect.getKeyframes().every((step) => step.opacity !== undefined && Number(step.opacity) < 0.06);
  };
  const finishMotion = (page) => {
    for (const animation of page.getAnimations()) {
      if (stays(animation)) continue;
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

  // Any colour that the browser understands, as it paints it: red, green, blue, alpha.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  const colour = (value) => {
    if (!value) return null;
    if (!colours.has(value)) colours.set(value, painted(value));
    return colours.get(value);
  };
  const painted = (value) => {
    const plain = value.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
    if (plain) return [Number(plain[1]), Number(plain[2]), Number(plain[3]), plain[4] === undefined ? 1 : Number(plain[4])];
    if (!canvas) return null;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "#010203";
    canvas.fillStyle = value;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (a, b) => [0, 1, 2].map((at) => a[at] * a[3] + b[at] * (1 - a[3]));
  const tooClose = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) < 30;
  const FUNCTION = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix)\((?:[^()]|\([^()]*\))*\)|transparent/g;
  // The colours of a gradient; null for a picture, on which anything may be readable.
  const stops = (image) => {
    if (/url\(|image\(|image-set\(|element\(|paint\(/.test(image)) return null;
    const found = (image.match(FUNCTION) ?? []).map(colour);
    return found.length && found.every(Boolean) ? found : null;
  };

  // The colour of a shadow that fills its box from the inside.
  const shadowInside = (shadows) => {
    for (const shadow of shadows.split(/,(?![^()]*\))/)) {
      const lengths = (shadow.replace(/\([^()]*\)/g, "").match(/-?[\d.]+px/g) ?? []).map(parseFloat);
      if (shadow.includes("inset") && lengths[3] >= 50) return colour(shadow.match(FUNCTION)?.[0]);
    }
    return null;
  };
  // What is left of a channel of the letters (0 to 1) after blending with what stands behind them.
  const BLENDS = {
    multiply: (ink, ground) => ink * ground,
    screen: (ink, ground) => ink + ground - ink * ground,
    darken: Math.min,
    lighten: Math.max,
    difference: (ink, ground) => Math.abs(ink - ground),
    exclusion: (ink, ground) => ink + ground - 2 * ink * ground,
    "color-dodge": (ink, ground) => (ink < 1 ? Math.min(1, ground / (1 - ink)) : 1),
    "color-burn": (ink, ground) => (ink > 0 ? 1 - Math.min(1, (1 - ground) / ink) : Number(ground >= 1)),
    "plus-lighter": (ink, ground) => Math.min(1, ink + ground),
  };
  const CHANGES = {
    brightness: (part, amount) => part * amount,
    contrast: (part, amount) => (part - 0.5) * amount + 0.5,
    invert: (part, amount) => part * (1 - amount) + (1 - part) * amount,
  };
  const changed = (ink, filter) => {
    for (const [, name, value] of filter.matchAll(/(brightness|contrast|invert)\(([\d.]+)\)/g)) {
      ink = ink.map((part) => 255 * Math.min(1, Math.max(0, CHANGES[name](part / 255, Number(value)))));
    }
    return ink;
  };
  // How letters look on a ground, after the filters and blending of the boxes around them; null if not known.
  const seenOn = (ink, ground, state) => {
    let seen = over(ink, ground);
    for (const effect of state.effects ?? []) {
      if (effect.filter) seen = changed(seen, effect.filter);
      else if (!state.painted) continue; // letters do not blend with the browser's own paper
      else if (!BLENDS[effect.blend]) return null;
      else seen = seen.map((part, at) => 255 * BLENDS[effect.blend](part / 255, ground[at] / 255));
    }
    return seen;
  };

  // Whether a line as thick as the letters are high lies over them, or behind them in their own colour.
  const isStruck = (style) => {
    if (!(parseFloat(style.textDecorationThickness) >= 20)) return false;
    if (style.textDecorationLine.includes("line-through")) return true;
    const same = style.textDecorationColor === (style.webkitTextFillColor || style.color);
    return style.textDecorationLine.includes("underline") && same && parseFloat(style.textUnderlineOffset) <= -10;
  };

  // What a subtree inherits from the boxes around it. `grounds`: the colours behind the text, null if not known.
  const enter = (style, above, box) => {
    const state = { ...above };
    if (style.display === "contents") return state; // without a box of its own
    const paints = (colour(style.backgroundColor)?.[3] ?? 0) > 0.05 || style.backgroundImage !== "none";
    if (paints) [state.effects, state.painted] = [[], true];
    else {
      if (style.filter !== "none") state.effects = [{ filter: style.filter }, ...(state.effects ?? [])];
      if (style.mixBlendMode !== "normal") state.effects = [{ blend: style.mixBlendMode }, ...(state.effects ?? [])];
    }
    if (/text/.test(style.backgroundClip)) state.letters = { style, grounds: above.grounds };
    else {
      const background = colour(style.backgroundColor);
      if (background && background[3] > 0.05) {
        if (background[3] > 0.95) state.grounds = [background];
        else state.grounds = state.grounds && state.grounds.map((ground) => [...over(background, ground), 1]);
      }
      if (style.backgroundImage !== "none") {
        const found = stops(style.backgroundImage);
        state.grounds = found && state.grounds && found.flatMap((stop) => state.grounds.map((ground) => [...over(stop, ground), 1]));
        if (/^0(px|%)?( |$)/.test(style.backgroundSize)) state.grounds = above.grounds;
      }
      if (/invert|brightness|contrast/.test(style.backdropFilter ?? "")) {
        state.grounds = state.grounds && state.grounds.map((ground) => [...changed(ground.slice(0, 3), style.backdropFilter), 1]);
      }
      const shadow = style.boxShadow.includes("inset") ? shadowInside(style.boxShadow) : null;
      if (shadow) state.grounds = state.grounds && state.grounds.map((ground) => [...over(shadow, ground), 1]);
    }
    if (/strict|paint|content/.test(style.contain) && style.display !== "inline") {
      const area = box();
      if (area.width <= 2 || area.height <= 2) state.clipped = true;
    }
    if (/^(hidden|clip|scroll|auto)$/.test(style.overflowX) || /^(hidden|clip|scroll|auto)$/.test(style.overflowY)) {
      const scrolls = /scroll|auto/.test(style.overflowX + style.overflowY);
      const area = box();
      const inner = area.width - parseFloat(style.paddingLeft) - 2 * parseFloat(style.borderLeftWidth); // text begins there
      if (area.width <= 2 || area.height <= 2 || (!scrolls && style.display !== "inline" && inner <= 2)) state.clipped = true;
      else if (!scrolls) {
        // Only a box that cannot be scrolled hides what lies beyond it; sideways it may be a carousel.
        state.top = Math.max(state.top, area.top);
        state.bottom = style.overflowY === "hidden" || style.overflowY === "clip" ? Math.min(state.bottom, area.bottom) : state.bottom;
      }
    }
    if (style.position === "fixed") { state.top = -Infinity; state.bottom = Infinity; state.fixed = true; }
    if (Number(style.zIndex) < 0) state.below = true;
    if (/^inline-|table$/.test(style.display) || style.float !== "none" || /absolute|fixed/.test(style.position)) state.struck = false;
    state.struck ||= isStruck(style);
    state.opacity = (above.opacity ?? 1) * Number(style.opacity);
    return state;
  };

  // A length in pixels; of a computed sum its terms together.
  const length = (text, whole) =>
    (text.match(/-?\s?[\d.]+(?:%|px)?/g) ?? []).reduce((sum, term) => {
      const number = parseFloat(term.replace(/\s/g, ""));
      return sum + (/%$/.test(term) ? (number / 100) * whole : number);
    }, 0);
  const shapeIsEmpty = (path, area) => {
    const inside = path.slice(path.indexOf("(") + 1, path.lastIndexOf(")"));
    if (path.startsWith("inset(")) {
      const sides = inside.split(" round ")[0].split(/\s+(?![^()]*\))/);
      const [top, right = top, bottom = top, left = right] = sides;
      const high = length(top, area.height) + length(bottom, area.height);
      const wide = length(left, area.width) + length(right, area.width);
      return high >= area.height - 2 || wide >= area.width - 2;
    }
    if (/^(circle|ellipse)\(/.test(path)) {
      const radii = inside.split(" at ")[0].trim().split(/\s+/).filter((radius) => /^[\d.]/.test(radius));
      const sizes = radii.map((radius) => length(radius, Math.min(area.width, area.height)));
      if (sizes.some((size) => size <= 1)) return true;
      const [x, y] = (inside.split(" at ")[1] ?? "50% 50%").trim().split(/\s+(?![^()]*\))/);
      const [right, below] = [length(x, area.width) + Math.max(...sizes), length(y, area.height) + Math.max(...sizes)];
      return sizes.length > 0 && (right <= 0 || below <= 0 || right - 2 * Math.max(...sizes) >= area.width);
    }
    if (path.startsWith("polygon(")) {
      const points = inside.replace(/^(evenodd|nonzero)\s*,/, "").split(",").map((point) => {
        const [x, y] = point.trim().split(/\s+/);
        return [length(x, area.width), length(y, area.height)];
      });
      const twice = points.reduce((sum, [x, y], at) => {
        const [nextX, nextY] = points[(at + 1) % points.length];
        return sum + x * nextY - nextX * y;
      }, 0);
      const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
      const outside = Math.max(...xs) <= 0 || Math.max(...ys) <= 0 || Math.min(...xs) >= area.width || Math.min(...ys) >= area.height;
      return outside || Math.abs(twice) / 2 < 4;
    }
    const numbers = (inside.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    if (path.startsWith("shape(")) return numbers.every((number) => Math.abs(number) <= 1) || numbers.every((number) => number < 0);
    return path.startsWith("path(") && (numbers.length <= 4 || numbers.every((number) => Math.abs(number) <= 1));
  };

  // A clip, mask or filter of the page that leaves nothing.
  const NO_ALPHA = /^(?:\S+[\s,]+){15}(?:0?\.?0*[\s,]*){5}$/;
  const hasNoSize = (shape) =>
    ["width", "height", "r", "rx", "ry"].some((name) => shape.hasAttribute(name) && parseFloat(shape.getAttribute(name)) === 0);
  const losesAlpha = (alpha) => {
    const linear = `${alpha.getAttribute("slope") ?? 1} ${alpha.getAttribute("intercept") ?? 0}`;
    return (alpha.getAttribute("tableValues") ?? linear).trim().split(/[\s,]+/).every((amount) => parseFloat(amount) === 0);
  };
  const removesAll = (part) => {
    if (part.localName === "feOffset") return ["dx", "dy"].some((name) => Math.abs(parseFloat(part.getAttribute(name))) >= 1000);
    return NO_ALPHA.test(part.getAttribute("values")?.trim() ?? "x") || [...part.querySelectorAll("feFuncA")].some(losesAlpha);
  };
  const filtersAll = (filter) => filter.lastElementChild?.localName === "feFlood" || [...filter.children].some(removesAll);
  const refersToNothing = (element, style) => {
    for (const [value, name] of [[style.clipPath, "clippath"], [style.maskImage, "mask"], [style.filter, "filter"]]) {
      const id = /url\("?[^")]*#([^")]+)"?\)/.exec(value ?? "")?.[1];
      const target = id && builtin(builtin(element).ownerDocument.getElementById(decodeURIComponent(id)));
      if (id && !target && name === "mask") {
        const rest = value.replace(/url\([^()]*\)\s*,?/g, ""); // what is not there lets nothing through
        if (!rest.trim() || stops(rest)?.every((stop) => stop[3] < 0.06)) return true;
      }
      if (!target || target.localName.toLowerCase() !== name) continue;
      if (name !== "filter" ? [...target.children].every(hasNoSize) : filtersAll(target)) return true;
    }
    return false;
  };

  const clippedAway = (style, area) => {
    const clip = style.clip;
    if (clip && clip !== "auto" && style.position !== "static" && style.position !== "relative") {
      const [top, right, bottom, left] = (clip.match(/-?[\d.]+/g) ?? []).map(Number);
      if (bottom - top <= 2 || right - left <= 2) return true;
    }
    return style.clipPath && style.clipPath !== "none" ? shapeIsEmpty(style.clipPath, area()) : false;
  };

  // Seen from behind, where the back of the box is not drawn.
  const facing = (style) => {
    let sign = 1;
    if (style.transform !== "none") sign *= Math.sign(new DOMMatrix(style.transform).m33) || 1;
    const turn = /^([xy]) (-?[\d.]+)deg$/.exec(style.rotate ?? "");
    return turn ? sign * (Math.sign(Math.cos((Number(turn[2]) * Math.PI) / 180)) || 1) : sign;
  };
  const turnedAway = (element, style) => {
    if (style.backfaceVisibility !== "hidden") return false;
    let sign = facing(style);
    const view = builtin(element).ownerDocument.defaultView;
    for (let box = builtin(element).parentElement; box; box = builtin(box).parentElement) {
      const around = view.getComputedStyle(box);
      if (around.transformStyle !== "preserve-3d") break;
      sign *= facing(around);
    }
    return sign < 0;
  };

  // Content that opens when it is searched for; a control before it opens it for everybody.
  const CONTROL = "button, summary, [aria-expanded], [role=button]";
  const opens = (element) => {
    const before = builtin(builtin(element).previousElementSibling);
    return Boolean(before && (before.matches(CONTROL) || before.querySelector(CONTROL)));
  };

  const filtered = (filter) => {
    for (const [, name, value] of filter.matchAll(/(opacity|contrast|blur)\(([\d.]+)(?:px|%)?\)/g)) {
      if (name === "blur" ? Number(value) >= 10 : Number(value) < 0.05) return true;
    }
    return false;
  };

  // A mask without a size, or placed away from its box and not repeated.
  const maskedAway = (style) => {
    if (/(^| )0(px|%)?( |$)/.test(style.maskSize)) return true;
    const layers = style.maskImage.split(/,(?![^()]*\))(?![^(]*\))/);
    if (/exclude|subtract/.test(style.maskComposite) && new Set(layers.map((layer) => layer.trim())).size < layers.length) return true;
    const dark = (stop) => stop[0] + stop[1] + stop[2] < 30;
    if (/luminance/.test(style.maskMode) && stops(style.maskImage)?.every(dark)) return true;
    const far = (style.maskPosition.match(/-?[\d.]+px/g) ?? []).some((place) => Math.abs(parseFloat(place)) >= 5000);
    return far && style.maskRepeat.includes("no-repeat");
  };

  const goneWhole = (element, style) => {
    if (style.display === "none") return true;
    if (style.display === "contents") return false;
    if (/(url|gradient|image|image-set)\(/.test(style.content)) return true; // the picture takes the place of what is inside
    if (Number(style.opacity) < 0.06) return true;
    if (style.contentVisibility === "hidden" && !builtin(element).closest("details") && !(builtin(element).hidden && opens(element))) return true;
    if (style.filter !== "none" && filtered(style.filter)) return true;
    const mask = style.maskImage ?? style.webkitMaskImage ?? "none";
    if (mask !== "none" && stops(mask)?.every((stop) => stop[3] < 0.06)) return true;
    if (mask !== "none" && maskedAway(style)) return true;
    const border = style.webkitMaskBoxImageSource ?? style.maskBorderSource ?? "none";
    if (border !== "none" && stops(border)?.every((stop) => stop[3] < 0.06)) return true;
    // Behind the point from which the page is looked at.
    if (style.transform.startsWith("matrix3d") && new DOMMatrix(style.transform).m44 <= 0) return true;
    if (refersToNothing(element, style)) return true;
    return clippedAway(style, () => builtin(element).getBoundingClientRect()) || turnedAway(element, style);
  };

  const isLost = (ink, state) => ink[3] < 0.06 || Boolean(state.grounds?.every((ground) => tooClose(over(ink, ground), ground)));
  // The colours of shadows that stand near their letters.
  const shadowInks = (shadows) =>
    (shadows === "none" ? [] : shadows.split(/,(?![^()]*\))/)).flatMap((shadow) => {
      const lengths = (shadow.replace(/\([^()]*\)/g, "").match(/-?[\d.]+px/g) ?? []).map(parseFloat);
      return lengths.slice(0, 2).some((shift) => Math.abs(shift) >= 1000) ? [] : [colour(shadow.match(FUNCTION)?.[0]) ?? [0, 0, 0, 1]];
    });
  const inkHidden = (style, state) => {
    const ink = colour(style.webkitTextFillColor || style.color);
    if (!ink) return false;
    const stroke = parseFloat(style.webkitTextStrokeWidth) > 0 ? colour(style.webkitTextStrokeColor) : null;
    if (stroke && parseFloat(style.webkitTextStrokeWidth) >= 2 && stroke[3] > 0.9 && isLost(stroke, state)) return true; // drawn over the letters
    if ([...shadowInks(style.textShadow), ...(stroke ? [stroke] : [])].some((each) => !isLost(each, state))) return false;
    if (state.letters && ink[3] < 0.95) return lettersHidden(state.letters);
    if (ink[3] < 0.06) return true;
    return Boolean(
      state.grounds?.every((ground) => {
        const seen = seenOn(ink, ground, state);
        return seen !== null && tooClose(seen, ground);
      }),
    );
  };
  // Letters that are holes through which a background shows.
  const lettersHidden = ({ style, grounds }) => {
    const background = colour(style.backgroundColor);
    const image = style.backgroundImage;
    if (image !== "none" && !stops(image)) return false;
    const inks = image !== "none" ? stops(image) : background && background[3] > 0.06 ? [background] : [];
    return inks.every((ink) => ink[3] < 0.06 || Boolean(grounds?.every((ground) => tooClose(over(ink, ground), ground))));
  };

  // A background that the boxes around the text do not tell: a painted pseudo-element, a picture underneath.
  const paintedBeside = (node, style, area) => {
    const view = node.ownerDocument.defaultView;
    let around = node.parentElement;
    for (let up = 0; around && up < 8; up += 1, around = builtin(around).parentElement) {
      for (const part of ["::before", "::after"]) {
        const beside = view.getComputedStyle(around, part);
        if (beside.content === "none" || beside.content === "normal") continue;
        if ((colour(beside.backgroundColor)?.[3] ?? 0) > 0.3 || beside.backgroundImage !== "none") return true;
      }
    }
    const holds = (picture) => {
      const box = builtin(picture).getBoundingClientRect();
      return box.left <= area.left + 1 && box.right >= area.right - 1 && box.top <= area.top + 1 && box.bottom >= area.bottom - 1;
    };
    // A layer below the text, in a colour on which it is seen; one above the text is asked for later.
    const ink = colour(style.webkitTextFillColor || style.color);
    const shows = (layer) => {
      const ground = colour(builtin(layer).ownerDocument.defaultView.getComputedStyle(layer).backgroundColor);
      return ground?.[3] > 0.95 && !tooClose(over(ink, ground), ground);
    };
    if (ink && coversOf(node.ownerDocument).some((layer) => !builtin(layer).contains(node) && holds(layer) && shows(layer))) return true;
    const loaded = (picture) => picture.localName !== "img" || picture.naturalWidth > 0;
    return [...node.ownerDocument.querySelectorAll("img, video, canvas")].slice(0, 300).some((picture) => loaded(picture) && holds(picture));
  };
  const indentedAway = (holder, style) => {
    const indent = parseFloat(style.textIndent) || 0;
    if (Math.abs(indent) >= 3000 && holder && style.display !== "inline") return true; // it moves the lines of a block only
    if (indent < 20 || !holder) return false;
    const view = builtin(holder).ownerDocument.defaultView;
    for (let up = 0, box = holder; box && up < 4; up += 1, box = builtin(box).parentElement) {
      if (/hidden|clip/.test(view.getComputedStyle(box).overflowX)) return indent >= Math.min(builtin(box).clientWidth, view.innerWidth);
    }
    return false;
  };

  const textHidden = (node, style, state) => {
    if (state.clipped || state.struck || style.visibility !== "visible") return true;
    if (parseFloat(style.fontSize) < 2 || state.opacity < 0.06) return true;
    if ((style.webkitTextSecurity ?? "none") !== "none") return true; // each letter is a dot
    const range = node.ownerDocument.createRange();
    range.selectNodeContents(node);
    const area = range.getBoundingClientRect();
    if (inkHidden(style, state) && !paintedBeside(node, style, area)) return true;
    if (indentedAway(node.parentElement, style)) return true;
    const closed = builtin(node.parentElement)?.closest("details:not([open]) > :not(summary), details:not([open])");
    if (closed && !closed.closest("summary") && !canOpen(closed.closest("details:not([open])"))) return true;
    if (area.width < 0.5 || area.height < 0.5) return !closed;
    if (area.height < 2.5 || area.width > 1e6) return true;
    const lines = [...range.getClientRects()];
    const width = lines.reduce((sum, line) => sum + line.width, 0);
    const letters = node.data.replace(/\s+/g, "").length;
    if (letters > 8 && width / letters < 0.7 && area.height / letters < 0.7) return true;
    const view = node.ownerDocument.defaultView;
    const left = area.left + view.scrollX;
    const top = area.top + view.scrollY;
    if (left + area.width <= 0 || top + area.height <= 0) return true;
    if (left > 10000 || top > 2000000) return true;
    if (state.fixed && (area.left >= view.innerWidth || area.top >= view.innerHeight)) return true;
    // The upper fifth of a line holds no letter that could be read.
    const seen = Math.min(area.bottom, state.bottom) - Math.max(area.top, state.top);
    if (seen <= Math.max(1, 0.2 * parseFloat(style.fontSize))) return true;
    return firstLineHidden(node, lines) || paintsNothing(node, style) || covered(node, lines[0], state);
  };
  // A closed `details` whose summary can be seen.
  const canOpen = (details) => {
    if (!details) return false;
    const summary = details.querySelector(":scope > summary");
    const area = (summary ?? details).getBoundingClientRect();
    return area.width > 2 && area.height > 2;
  };
  // A text of one line, of which the first line of its block takes away the ink; each block is looked at once.
  const firstLines = new Map();
  const firstLineHidden = (node, lines) => {
    if (lines.length !== 1) return false;
    const view = node.ownerDocument.defaultView;
    let block = node.parentElement;
    while (block && view.getComputedStyle(block).display === "inline") block = builtin(block).parentElement;
    if (!block) return false;
    if (!firstLines.has(block)) firstLines.set(block, firstLineIsLost(view, block));
    return firstLines.get(block) && lines[0].top - builtin(block).getBoundingClientRect().top < lines[0].height;
  };
  const firstLineIsLost = (view, block) => {
    const [style, own] = [view.getComputedStyle(block, "::first-line"), view.getComputedStyle(block)];
    if (style.webkitTextFillColor === own.webkitTextFillColor && style.fontSize === own.fontSize) return false;
    return (colour(style.webkitTextFillColor)?.[3] ?? 1) < 0.06 || parseFloat(style.fontSize) < 2;
  };

  // A font of the page may have empty letters: they are drawn once, to see.
  const drawn = new Map();
  const paintsNothing = (node, style) => {
    const fonts = node.ownerDocument.fonts;
    if (!canvas || !fonts?.size) return false;
    const names = style.fontFamily.toLowerCase();
    if (![...fonts].some((font) => font.status === "loaded" && names.includes(font.family.replace(/["']/g, "").toLowerCase()))) return false;
    const sample = node.data.replace(/\s+/g, "").slice(0, 24);
    const key = `${style.fontFamily} ${sample}`;
    if (!drawn.has(key)) drawn.set(key, leavesInk(style.fontFamily, sample));
    return !drawn.get(key);
  };
  const leavesInk = (family, sample) => {
    const { canvas: paper } = canvas;
    [paper.width, paper.height] = [600, 40];
    canvas.font = `20px ${family}`;
    canvas.fillStyle = "#000";
    canvas.fillText(sample, 2, 28);
    const ink = canvas.getImageData(0, 0, 600, 40).data.some((value, at) => at % 4 === 3 && value > 40);
    [paper.width, paper.height] = [1, 1];
    return ink;
  };

  // Boxes that may be painted over others and let nothing through. What is fixed to the window is closed or scrolled away.
  const PICTURES = new Set(["img", "canvas", "video", "iframe", "svg"]);
  const covers = new Map();
  const coversOf = (page) => {
    if (covers.has(page)) return covers.get(page);
    const found = [];
    const view = page.defaultView;
    for (const element of [...page.querySelectorAll("body *")].slice(0, 20000)) {
      const style = view.getComputedStyle(element);
      if (!isRaised(style) || style.visibility !== "visible" || Number(style.opacity) < 0.95) continue;
      if (!isOpaque(element, style)) continue;
      const area = builtin(element).getBoundingClientRect();
      const whole = area.width * area.height > 0.9 * view.innerWidth * view.innerHeight;
      if (area.width > 20 && area.height > 8 && !whole) found.push(element);
      if (found.length >= 200) break;
    }
    covers.set(page, found);
    return found;
  };
  const isRaised = (style) => {
    if (style.position === "absolute" || style.position === "relative" || style.position === "sticky") return true;
    return style.position === "static" && (style.transform !== "none" || style.float !== "none" || style.display === "inline-block");
  };
  const isOpaque = (element, style = builtin(element).ownerDocument.defaultView.getComputedStyle(element)) => {
    if ((colour(style.backgroundColor)?.[3] ?? 0) > 0.95) return true;
    if (style.backgroundImage !== "none" && stops(style.backgroundImage)?.every((stop) => stop[3] > 0.95)) return true;
    if (parseFloat(style.borderTopWidth) > 12 && (colour(style.borderTopColor)?.[3] ?? 0) > 0.95 && style.borderTopStyle === "solid") return true;
    return PICTURES.has(builtin(element).localName) && isOpaquePicture(element);
  };
  const isOpaquePicture = (element) => {
    if (element.localName === "img") return element.naturalWidth > 0 && !/\.png|\.gif|\.webp/i.test(element.currentSrc) && paintsAll(element);
    if (element.localName === "canvas") return paintsAll(element);
    if (element.localName !== "svg") return element.localName === "video" && element.readyState > 1;
    const area = element.getBoundingClientRect();
    return [...element.querySelectorAll("rect, path, image, circle")].some((shape) => {
      const box = shape.getBoundingClientRect();
      const style = shape.ownerDocument.defaultView.getComputedStyle(shape);
      const fill = style.fill === "none" ? null : colour(style.fill);
      return box.width >= area.width - 2 && box.height >= area.height - 2 && fill?.[3] > 0.95 && Number(style.fillOpacity) > 0.95;
    });
  };
  // Whether the middle and the quarters of a picture let nothing through; a picture that cannot be read does.
  const paintsAll = (picture) => {
    if (!canvas) return false;
    try {
      const { canvas: paper } = canvas;
      [paper.width, paper.height] = [8, 8];
      canvas.drawImage(picture, 0, 0, 8, 8);
      const { data } = canvas.getImageData(0, 0, 8, 8);
      [paper.width, paper.height] = [1, 1];
      return data.every((value, at) => at % 4 !== 3 || value > 240);
    } catch {
      return false;
    }
  };
  const covered = (node, line, state) => {
    const page = node.ownerDocument;
    const holder = node.parentElement;
    if (!line || !holder) return false;
    if (coveredBeside(holder)) return true;
    const hides = (element) => {
      const area = builtin(element).getBoundingClientRect();
      const [x, y] = [line.left + line.width / 2, line.top + line.height / 2];
      return area.left <= line.left + 1 && area.right >= line.right - 1 && area.top <= y && area.bottom >= y && x >= 0;
    };
    const above = coversOf(page).filter((element) => !builtin(element).contains(holder) && hides(element));
    return (above.length > 0 || state.below) && isUnder(node, holder, above);
  };
  // Asks the browser what lies on top at the middle of the first line.
  const isUnder = (node, holder, above) => {
    const page = node.ownerDocument;
    const view = page.defaultView;
    const [x, y] = [view.scrollX, view.scrollY];
    for (const element of [holder, ...above]) builtin(element).style.setProperty("pointer-events", "auto", "important");
    const range = page.createRange();
    range.selectNodeContents(node);
    view.scrollTo({ left: x, top: y + range.getClientRects()[0].top - 300, behavior: "instant" });
    const line = range.getClientRects()[0];
    const stack = page.elementsFromPoint(line.left + line.width / 2, line.top + line.height / 2);
    view.scrollTo({ left: x, top: y, behavior: "instant" });
    const own = stack.indexOf(holder);
    return own > 0 && stack.slice(0, own).some((element) => !builtin(holder).contains(element) && isOpaque(element) || above.includes(element));
  };
  // Whether a painted pseudo-element lies over the text of its element; each element is looked at once.
  const besides = new Map();
  const coveredBeside = (holder) => {
    for (let box = holder, up = 0; box && up < 6; up += 1, box = builtin(box).parentElement) {
      if (!besides.has(box)) besides.set(box, besideOf(box));
      const found = besides.get(box);
      if (found !== null) return found;
    }
    return false;
  };
  // Null where the element is not positioned, so that one around it decides.
  const besideOf = (box) => {
    const { ownerDocument, clientWidth, clientHeight } = builtin(box);
    const view = ownerDocument.defaultView;
    if (view.getComputedStyle(box).position === "static") return null;
    return ["::before", "::after"].some((part) => {
      const style = view.getComputedStyle(box, part);
      if (style.content === "none" || style.content === "normal" || style.position !== "absolute" || style.display === "none") return false;
      if (Number(style.zIndex) < 0 || Number(style.opacity) < 0.95 || style.visibility !== "visible" || style.transform !== "none") return false;
      const opaque = (colour(style.backgroundColor)?.[3] ?? 0) > 0.95 || (style.backgroundImage !== "none" && stops(style.backgroundImage)?.every((stop) => stop[3] > 0.95));
      const wide = parseFloat(style.width) >= clientWidth - 2 && parseFloat(style.left) <= 1;
      return Boolean(opaque) && wide && parseFloat(style.height) >= clientHeight - 2 && parseFloat(style.top) <= 1;
    });
  };

  const drop = (node) => {
    const text = builtin(node).textContent?.trim() ?? "";
    if (text) facts.hidden += 1;
  };

  const isConsent = (node, style) => {
    const element = builtin(node);
    if (style.position !== "fixed" && style.position !== "sticky" && element.getAttribute("role") !== "dialog" && !element.id.startsWith("onetrust")) return false;
    const label = `${element.id} ${element.className} ${element.getAttribute("aria-label") ?? ""}`;
    return CONSENT.test(label) && (element.textContent?.length ?? 0) < 6000 && !element.querySelector("main, article");
  };

  const attributes = (element) => {
    let text = "";
    for (const { name, value } of builtin(element).attributes) {
      if (DROPPED_ATTRIBUTES.has(name) || name.startsWith("on") || value.length > 4000) continue;
      let kept = value;
      if (name === "href" || name === "src" || name === "poster" || name === "cite") {
        const resolved = builtin(element)[name];
        const full = typeof resolved === "string" ? resolved : value;
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
    const name = builtin(element).localName;
    if (!name.includes("-") && /^[a-z][a-z0-9]*$/.test(name)) return name;
    return /^(inline|contents)/.test(style.display) ? "span" : "div";
  };

  const children = (element) => {
    const node = builtin(element);
    if (node.localName === "slot") {
      const given = node.assignedNodes({ flatten: true });
      if (given.length) return given;
    }
    return (node.shadowRoot ?? node).childNodes;
  };

  const tex = (element) => {
    const note = builtin(element).querySelector('annotation[encoding="application/x-tex"]');
    return note && note.textContent.length < 2000 ? builtin(element).querySelector("math")?.outerHTML ?? "" : "";
  };

  // The browser's own paper: white, or dark where the page asks for that.
  const paperOf = (page) => {
    const probe = page.createElement("i");
    probe.style.cssText = "all:initial;color-scheme:inherit;display:none;background-color:Canvas";
    builtin(page.documentElement).append(probe);
    const found = colour(page.defaultView.getComputedStyle(probe).backgroundColor);
    probe.remove();
    return found?.[3] === 1 ? found : [255, 255, 255, 1];
  };

  // What stands behind everything: the paper, unless the document paints it.
  const startOf = (page) => {
    let state = { grounds: [paperOf(page)], clipped: false, top: -Infinity, bottom: Infinity };
    for (const element of [page.documentElement, page.body]) {
      if (!element) continue;
      const { grounds, painted } = enter(page.defaultView.getComputedStyle(element), state, () => builtin(element).getBoundingClientRect());
      state = { ...state, grounds, painted };
    }
    return state;
  };

  const frame = (element, depth) => {
    let inner = null;
    try { inner = element.contentDocument; } catch { /* another origin */ }
    if (inner?.body && inner.body.childNodes.length) {
      put("<div>");
      finishMotion(inner);
      if (!goneWhole(inner.body, inner.defaultView.getComputedStyle(inner.body))) {
        const style = inner.defaultView.getComputedStyle(inner.body);
        for (const child of inner.body.childNodes) visit(child, startOf(inner), style, depth + 1);
      }
      put("</div>");
    } else {
      put(`<iframe${attributes(element)}></iframe>`);
      if (!inner && !limits.partOnly) put(`<!--mcp-web-frame-${unread.push(element) - 1}-->`);
    }
  };

  const visit = (node, state, style, depth) => {
    if (facts.cut) return;
    nodes += 1;
    if (nodes > limits.nodes || depth > limits.depth) { facts.cut = true; return; }
    const { nodeType, localName } = builtin(node);
    if (nodeType === Node.TEXT_NODE) {
      if (!node.data.trim()) put(node.data ? (node.data.includes("\n") ? "\n" : " ") : "");
      else if (textHidden(node, style, state)) facts.hidden += 1;
      else put(escapeText(node.data));
      return;
    }
    if (nodeType !== Node.ELEMENT_NODE || GONE.has(localName)) return;
    element(node, state, depth);
  };

  const inCollapsedColumn = (cell) => {
    if (!["td", "th"].includes(builtin(cell).localName)) return false;
    const column = cell.closest("table")?.querySelectorAll("col")[cell.cellIndex];
    return Boolean(column) && column.ownerDocument.defaultView.getComputedStyle(column).visibility === "collapse";
  };

  const element = (node, state, depth) => {
    const { ownerDocument, localName, classList } = builtin(node);
    const style = ownerDocument.defaultView.getComputedStyle(node);
    // Formulas carry their source in a part that only screen readers get: worth more than the drawn glyphs.
    if (classList.contains("katex-mathml") || localName === "mjx-assistive-mml") { put(tex(node)); return; }
    if (goneWhole(node, style) || inCollapsedColumn(node)) { drop(node); return; }
    if (isConsent(node, style)) { facts.consent += 1; return; }
    if (localName === "svg") {
      const label = node.querySelector(":scope > title")?.textContent;
      if (label && node.getAttribute("role") === "img") put(`<img alt="${escapeValue(label)}">`);
      return;
    }
    if (localName === "iframe" || localName === "frame") {
      const area = node.getBoundingClientRect();
      const offScreen = area.right + scrollX <= 0 || area.bottom + scrollY <= 0;
      if (node.clientWidth > 2 && node.clientHeight > 2 && !offScreen && !state.clipped) frame(node, depth);
      return;
    }
    const inner = enter(style, state, () => builtin(node).getBoundingClientRect());
    if (localName === "body") { inner.top = -Infinity; inner.bottom = Infinity; inner.clipped = false; }
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
    for (const child of document.body.childNodes) visit(child, startOf(document), style, 1);
  } else {
    put(`<!doctype html><html${attributes(root)}>`);
    head();
    if (document.body) element(document.body, startOf(document), 0);
    put("</html>");
  }
  return { html: out.join(""), url: location.href, unread: unread.length, ...facts };
}
