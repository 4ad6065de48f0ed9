// Optional: every view works without this file.
"use strict";

// Copy buttons, shown only where copying works.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent.trim());
    button.textContent = button.dataset.copy;
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}

// Parts that change while one looks, as long as the tab is visible.
for (const part of document.querySelectorAll("[data-live]")) {
  setInterval(async () => {
    if (document.hidden || part.contains(document.activeElement)) return;
    try {
      const answer = await fetch(part.dataset.live, { credentials: "same-origin" });
      if (!answer.ok) return;
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      part.replaceChildren(...made.body.childNodes);
    } catch { /* the server is away: the next round tries again */ }
  }, 5000);
}

// Selected text goes into the field for checking a quote.
const quote = document.querySelector("[data-quote]");
const article = document.querySelector(".reader article");
if (quote && article) {
  document.addEventListener("selectionchange", () => {
    const chosen = document.getSelection();
    if (chosen && !chosen.isCollapsed && article.contains(chosen.anchorNode)) {
      quote.value = chosen.toString().slice(0, 5000);
    }
  });
}

// The graph can be moved and zoomed.
const picture = document.querySelector("[data-graph]");
if (picture) {
  picture.classList.add("moves");
  const whole = picture.getAttribute("viewBox").split(" ").map(Number);
  let box = [...whole];
  const show = () => picture.setAttribute("viewBox", box.join(" "));
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const [left, top, width, height] = box;
    const wide = Math.min(Math.max(width * factor, 50), whole[2] * 2);
    const high = wide * height / width;
    box = [left + (width - wide) * x, top + (height - high) * y, wide, high];
    show();
  };
  document.querySelector("[data-graph-controls]").hidden = false;
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "reset") { box = [...whole]; show(); }
      else zoom(button.dataset.zoom === "in" ? 0.7 : 1.4);
    });
  }
  let last = null;
  picture.addEventListener("pointerdown", (event) => { last = [event.clientX, event.clientY]; });
  picture.addEventListener("pointermove", (event) => {
    if (!last || !event.buttons) return;
    const scale = box[2] / picture.clientWidth;
    box[0] -= (event.clientX - last[0]) * scale;
    box[1] -= (event.clientY - last[1]) * scale;
    last = [event.clientX, event.clientY];
    show();
  });
}
