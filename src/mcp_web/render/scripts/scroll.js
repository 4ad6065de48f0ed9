// Show the start of the page and then its end, as a reader who scrolls does, and give the page a few frames to notice.
// From the start, because a mark at the end that never left the window never asks for more; again, if the page scrolled
// itself away from it meanwhile. On a busy machine a frame can take a second: `most` milliseconds are waited.
(most) => new Promise((done) => {
  const root = builtin(document.scrollingElement || document.documentElement);
  const show = (top) => root?.scrollTo({ top, behavior: "instant" });
  const frames = (left, then) => requestAnimationFrame(() => (left ? frames(left - 1, then) : then()));
  const start = (tries) => {
    show(0);
    frames(1, () => {
      if (tries && root?.scrollTop > 0) return start(tries - 1);
      show(root?.scrollHeight);
      frames(2, done);
    });
  };
  setTimeout(done, most);
  start(3);
})
