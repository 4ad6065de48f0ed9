// Show the start of the page and then its end, as a reader who scrolls does, and give the page a few frames to notice.
// From the start, because a mark at the end that never left the window never asks for more. On a busy machine a frame can
// take a second: `most` milliseconds are waited.
(most) => new Promise((done) => {
  const root = document.scrollingElement || document.documentElement;
  const show = (top) => root?.scrollTo({ top, behavior: "instant" });
  const frames = (left, then) => requestAnimationFrame(() => (left ? frames(left - 1, then) : then()));
  setTimeout(done, most);
  show(0);
  frames(1, () => {
    show(root?.scrollHeight);
    frames(2, done);
  });
})
