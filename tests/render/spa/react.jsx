import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

function Chapters() {
  const [chapters, setChapters] = useState(null);
  useEffect(() => {
    fetch("/spa/chapters.json").then((answer) => answer.json()).then(setChapters);
  }, []);
  if (!chapters) return <p>Loading…</p>;
  return chapters.map((chapter) => (
    <section key={chapter.title}>
      <h2>{chapter.title}</h2>
      <p>{chapter.text}</p>
    </section>
  ));
}

createRoot(document.getElementById("root")).render(
  <main>
    <h1>The lighthouse keepers</h1>
    <Chapters />
  </main>,
);
