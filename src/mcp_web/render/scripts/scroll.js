// Show the end of the page, as a reader who scrolls does.
() => {
  const root = document.scrollingElement || document.documentElement;
  if (root) root.scrollTo(0, root.scrollHeight);
}
