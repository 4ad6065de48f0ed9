// Show the end of the page, as a reader who scrolls does, and give the page a few frames to notice.
() => new Promise((done) => {
  const root = document.scrollingElement || document.documentElement;
  if (root) root.scrollTo(0, root.scrollHeight);
  setTimeout(done, 500);
  const frames = (left) => requestAnimationFrame(() => (left ? frames(left - 1) : done()));
  frames(2);
})
