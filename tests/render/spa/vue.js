import { createApp, h, onMounted, ref } from "vue";

createApp({
  setup() {
    const chapters = ref(null);
    onMounted(async () => {
      chapters.value = await (await fetch("/spa/chapters.json")).json();
    });
    return () =>
      h("main", [
        h("h1", "The lighthouse keepers"),
        chapters.value
          ? chapters.value.map((chapter) => h("section", [h("h2", chapter.title), h("p", chapter.text)]))
          : h("p", "Loading…"),
      ]);
  },
}).mount("#root");
