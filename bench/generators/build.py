"""Build one Markdown source with documentation generators and blog themes, for the tests of extraction.

    python -m bench.generators.build TOOLS [name …]

TOOLS is a folder in which `bench/generators/tools.sh` installed the generators. The page made from `source.md` by each
is packed into `tests/golden/generators/NAME.html.gz`; `versions.json` there records what built it. Some also build
`elements.md`, a short page with footnotes and lists of tasks, into `elements-NAME.html.gz`.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "tests" / "golden" / "generators"
GUIDE, SECOND = (HERE / "source.md").read_text("utf-8"), (HERE / "second.md").read_text("utf-8")
TITLE, _, BODY = GUIDE.partition("\n")
ELEMENTS = (HERE / "elements.md").read_text("utf-8")
_SITE = "https://docs.example.org"


@dataclass(frozen=True)
class Generator:
    name: str
    make: Callable[[Path, Path], Path]  # an empty folder and the tools → the page that was built
    version: Callable[[Path], str]


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    """Run a command of a generator; its output is shown when it fails."""
    import os

    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, env={**os.environ, **variables},
        timeout=900,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def commented(text: str, before: str) -> str:
    return "\n".join(f"{before}{line}".rstrip() for line in text.splitlines())


def _pip(name: str) -> Callable[[Path], str]:
    return lambda tools: run(tools, tools / "venv/bin/pip", "show", name).split("Version: ")[1].split("\n")[0]


def _npm(folder: str, name: str) -> Callable[[Path], str]:
    def version(tools: Path) -> str:
        found = json.loads((tools / folder / "node_modules" / name / "package.json").read_text("utf-8"))
        return str(found["version"])

    return version


def _command(*command: str) -> Callable[[Path], str]:
    return lambda tools: run(tools, *command).split("\n")[0].strip()


# -- documentation generators


def mkdocs(theme: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, tools: Path) -> Path:
        config = f"site_name: Tidecalc\nsite_url: {_SITE}/\ntheme: {theme}\nnav:\n  - Guide: index.md\n"
        config += "  - Reference: reference.md\n"
        if theme == "material":
            config += (
                "markdown_extensions: [pymdownx.highlight, pymdownx.superfences, tables, toc: {permalink: true}]\n"
            )
        write(folder, {"mkdocs.yml": config, "docs/index.md": GUIDE, "docs/reference.md": SECOND})
        run(folder, tools / "venv/bin/mkdocs", "build", "-q", "-d", "site")
        return folder / "site/index.html"

    return make


def mkdocs_extended(theme: str, page: str) -> Callable[[Path, Path], Path]:
    """With a theme and the extensions that come apart from MkDocs."""

    def make(folder: Path, tools: Path) -> Path:
        config = f"site_name: Tidecalc\nsite_url: {_SITE}/\ntheme: {theme}\nmarkdown_extensions: [tables, footnotes, "
        config += "pymdownx.superfences, pymdownx.tasklist, toc: {permalink: true}]\n"
        files = {"docs/guide.md": GUIDE, "docs/elements.md": ELEMENTS, "docs/reference.md": SECOND}
        write(folder, {"mkdocs.yml": config, "docs/index.md": "# Tidecalc\n", **files})
        run(folder, tools / "venv/bin/mkdocs", "build", "-q", "-d", "site")
        return folder / "site" / page / "index.html"

    return make


def zensical(folder: Path, tools: Path) -> Path:
    write(folder, {"mkdocs.yml": "site_name: Tidecalc\n", "docs/index.md": GUIDE, "docs/reference.md": SECOND})
    run(folder, tools / "venv/bin/zensical", "build")
    return folder / "site/index.html"


def sphinx(theme: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, tools: Path) -> Path:
        config = (
            f'project = "Tidecalc"\nextensions = ["myst_parser"]\nhtml_theme = "{theme}"\nsource_suffix = [".md"]\n'
        )
        index = "# Tidecalc\n\n```{toctree}\nguide\nreference\n```\n"
        write(folder, {"conf.py": config, "index.md": index, "guide.md": GUIDE, "reference.md": SECOND})
        run(folder, tools / "venv/bin/sphinx-build", "-q", "-b", "html", ".", "out")
        return folder / "out/guide.html"

    return make


def sphinx_elements(theme: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, tools: Path) -> Path:
        config = f'project = "Tidecalc"\nextensions = ["myst_parser"]\nhtml_theme = "{theme}"\n'
        config += 'myst_enable_extensions = ["tasklist"]\n'
        index = "# Tidecalc\n\n```{toctree}\nelements\nreference\n```\n"
        write(folder, {"conf.py": config, "index.md": index, "elements.md": ELEMENTS, "reference.md": SECOND})
        run(folder, tools / "venv/bin/sphinx-build", "-q", "-b", "html", ".", "out")
        return folder / "out/elements.html"

    return make


def pdoc(folder: Path, tools: Path) -> Path:
    write(folder, {"tidecalc.py": f'"""\n{GUIDE}"""\n\n\ndef table(days: int) -> list[str]:\n    """Events."""\n'})
    run(folder, tools / "venv/bin/pdoc", "-o", "out", "./tidecalc.py")
    return folder / "out/tidecalc.html"


def rustdoc(folder: Path, tools: Path) -> Path:
    # Without a language rustdoc takes code for Rust; a page about anything else names one, as ours does.
    write(folder, {"tidecalc.rs": f"{commented(GUIDE, '//! ')}\n\n/// One event.\npub struct Event;\n"})
    run(folder, "rustdoc", "tidecalc.rs", "-o", "out")
    return folder / "out/tidecalc/index.html"


def doxygen(folder: Path, tools: Path) -> Path:
    settings = "PROJECT_NAME=Tidecalc\nINPUT=guide.md reference.md\nGENERATE_LATEX=NO\nQUIET=YES\nWARNINGS=NO\n"
    settings += "GENERATE_TREEVIEW=YES\n"
    write(folder, {"Doxyfile": settings, "guide.md": GUIDE, "reference.md": SECOND})
    run(folder, "doxygen")
    return folder / "html/md_guide.html"


def jsdoc(folder: Path, tools: Path) -> Path:
    source = "/**\n * One event.\n * @class\n */\nfunction Event() {}\n"
    config = '{"plugins": ["plugins/markdown"], "opts": {"destination": "out", "readme": "README.md"}}'
    write(folder, {"README.md": GUIDE, "index.js": source, "jsdoc.json": config})
    run(folder, tools / "npm/node_modules/.bin/jsdoc", "-c", "jsdoc.json", "index.js")
    return folder / "out/index.html"


def typedoc(folder: Path, tools: Path) -> Path:
    source = "/** One event. */\nexport class Event {\n  /** Metres above the datum. */\n  height = 0;\n}\n"
    config = '{"compilerOptions": {"target": "es2020", "module": "commonjs"}, "files": ["index.ts"]}'
    write(folder, {"README.md": GUIDE, "index.ts": source, "tsconfig.json": config, "package.json": '{"name": "tide"}'})
    run(folder, tools / "npm/node_modules/.bin/typedoc", "--out", "out", "index.ts", "--disableSources")
    return folder / "out/index.html"


def vitepress(folder: Path, tools: Path) -> Path:
    (folder / "node_modules").symlink_to(tools / "npm/node_modules")
    sidebar = "[{text: 'Guide', link: '/guide'}, {text: 'Reference', link: '/reference'}]"
    config = f"export default {{title: 'Tidecalc', themeConfig: {{sidebar: {sidebar}}}}}\n"
    files = {".vitepress/config.mjs": config, "guide.md": GUIDE, "reference.md": SECOND, "index.md": "# Tidecalc\n"}
    write(folder, {**files, "package.json": '{"type": "module"}'})
    run(folder, tools / "npm/node_modules/.bin/vitepress", "build", ".")
    return folder / ".vitepress/dist/guide.html"


def vuepress(folder: Path, tools: Path) -> Path:
    (folder / "node_modules").symlink_to(tools / "vue/node_modules")
    config = """import { viteBundler } from '@vuepress/bundler-vite'
import { defaultTheme } from '@vuepress/theme-default'
import { defineUserConfig } from 'vuepress'
export default defineUserConfig({title: 'Tidecalc', bundler: viteBundler(),
  theme: defaultTheme({sidebar: ['/guide.md', '/reference.md']})})
"""
    files = {"docs/.vuepress/config.js": config, "docs/guide.md": GUIDE, "docs/reference.md": SECOND}
    write(folder, {**files, "docs/README.md": "# Tidecalc\n", "package.json": '{"type": "module"}'})
    run(folder, tools / "vue/node_modules/.bin/vuepress", "build", "docs")
    return folder / "docs/.vuepress/dist/guide.html"


def starlight(folder: Path, tools: Path) -> Path:
    (folder / "node_modules").symlink_to(tools / "astro/node_modules")
    config = """import { defineConfig } from 'astro/config'
import starlight from '@astrojs/starlight'
export default defineConfig({integrations: [starlight({title: 'Tidecalc'})]})
"""
    content = """import { defineCollection } from 'astro:content'
import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }
"""
    guide = f"---\ntitle: {TITLE[2:]}\n---\n{BODY}"
    second = SECOND.replace("# Reference", "---\ntitle: Reference\n---", 1)
    files = {"astro.config.mjs": config, "src/content.config.ts": content, "package.json": '{"type": "module"}'}
    files |= {"src/content/docs/index.md": "---\ntitle: Tidecalc\n---\nHello.\n", "src/content/docs/guide.md": guide}
    write(folder, {**files, "src/content/docs/reference.md": second})
    run(folder, tools / "astro/node_modules/.bin/astro", "build", ASTRO_TELEMETRY_DISABLED="1")
    return folder / "dist/guide/index.html"


def docusaurus(folder: Path, tools: Path) -> Path:
    (folder / "node_modules").symlink_to(tools / "docu/node_modules")
    config = f"""export default {{title: 'Tidecalc', url: '{_SITE}', baseUrl: '/', onBrokenLinks: 'ignore',
  presets: [['classic', {{docs: {{routeBasePath: '/', sidebarPath: './sidebars.js'}}, blog: false}}]]}}
"""
    sidebars = "export default {docs: ['guide', 'reference']}\n"
    files = {"docusaurus.config.js": config, "sidebars.js": sidebars, "package.json": '{"type": "module"}'}
    write(folder, {**files, "docs/guide.md": GUIDE, "docs/reference.md": SECOND})
    run(folder, tools / "docu/node_modules/.bin/docusaurus", "build", DOCUSAURUS_IGNORE_SSG_WARNINGS="1")
    return next(path for path in (folder / "build/guide/index.html", folder / "build/guide.html") if path.exists())


def rspress(folder: Path, tools: Path) -> Path:
    site = tools / "rspress/site"  # it is built only beside its packages
    shutil.rmtree(site, ignore_errors=True)
    links = "[{text: 'Elements', link: '/elements'}, {text: 'Reference', link: '/reference'}]"
    config = "import { defineConfig } from 'rspress/config'\nexport default defineConfig({root: 'docs', "
    config += f"title: 'Tidecalc', themeConfig: {{sidebar: {{'/': {links}}}}}}})\n"
    files = {"docs/index.md": "# Tidecalc\n", "docs/elements.md": ELEMENTS, "docs/reference.md": SECOND}
    write(site, {**files, "rspress.config.ts": config, "package.json": '{"name": "site"}'})
    run(site, tools / "rspress/node_modules/.bin/rspress", "build")
    return site / "doc_build/elements.html"


def honkit(folder: Path, tools: Path) -> Path:
    summary = "# Summary\n\n- [Guide](guide.md)\n- [Reference](reference.md)\n"
    write(folder, {"README.md": "# Tidecalc\n", "SUMMARY.md": summary, "guide.md": GUIDE, "reference.md": SECOND})
    run(folder, tools / "npm/node_modules/.bin/honkit", "build", ".", "out")
    return folder / "out/guide.html"


def asciidoctor(folder: Path, tools: Path) -> Path:
    write(folder, {"guide.adoc": _asciidoc(GUIDE)})
    run(folder, "asciidoctor", "-a", "toc=left", "-a", "source-highlighter=highlightjs", "guide.adoc")
    return folder / "guide.html"


def _asciidoc(text: str) -> str:
    """The Markdown in AsciiDoc's words; the few constructs that differ in our source."""
    import re

    text = re.sub(r"^(#+) ", lambda found: "=" * len(found[1]) + " ", text, flags=re.M)
    text = re.sub(r"^```(\w+)\n(.*?)^```", r"[source,\1]\n----\n\2----", text, flags=re.M | re.S)
    text = re.sub(r"\[([^\]]+)\]\((http[^)]+)\)", r"\2[\1]", text)
    text = re.sub(r"^    - ", "** ", text, flags=re.M)
    text = re.sub(r"^- ", "* ", text, flags=re.M)
    text = re.sub(r"^\d\. ", ". ", text, flags=re.M)
    text = re.sub(r"^(\|.*)\|$\n\|-.*\n((?:\|.*\|\n)+)", _asciidoc_table, text, flags=re.M)
    text = re.sub(r"\*\*(\w[^*]*)\*\*", r"*\1*", text).replace("*checked by hand*", "_checked by hand_")
    return re.sub(r"^> (.*)\n> (.*)", r"____\n\1\n\2\n____", text, flags=re.M)


def _asciidoc_table(found: object) -> str:
    head, rows = found[1], found[2]  # type: ignore[index]
    body = "\n".join(line.rstrip("|").rstrip() for line in rows.splitlines())
    return f"[options=header]\n|===\n{head.rstrip()}\n\n{body}\n|===\n"


def javadoc(folder: Path, tools: Path) -> Path:
    html = run(folder, tools / "venv/bin/python", "-c", _TO_HTML, str(HERE / "source.md"))
    source = f"/**\n{commented(html, ' * ')}\n */\npackage org.example.tide;\n"
    write(folder, {"org/example/tide/package-info.java": source,
                   "org/example/tide/Event.java": "package org.example.tide;\n\npublic class Event {}\n"})  # fmt: skip
    run(folder, "javadoc", "-quiet", "-Xdoclint:none", "-d", "out", "org.example.tide", "-sourcepath", ".")
    return folder / "out/org/example/tide/package-summary.html"


# Javadoc comments are HTML, as every author of them writes it: headings begin at the second level there.
_TO_HTML = """
import re, sys, markdown
text = markdown.markdown(open(sys.argv[1], encoding="utf-8").read(), extensions=["tables", "fenced_code"])
print(re.sub(r"<(/?)h([1-4])", lambda found: f"<{found[1]}h{int(found[2]) + 1}", text).replace("@", "&#64;"))
"""


# -- blogs


def pelican(theme: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, tools: Path) -> Path:
        config = f'SITENAME = "Tides"\nAUTHOR = "Ann"\nPATH = "content"\nTHEME = "{theme}"\nTIMEZONE = "UTC"\n'
        guide = f"Title: {TITLE[2:]}\nDate: 2026-03-01\nSlug: guide\n{BODY}"
        second = SECOND.replace("# Reference", "Title: Reference\nDate: 2026-02-01\nSlug: reference", 1)
        write(folder, {"pelicanconf.py": config, "content/guide.md": guide, "content/reference.md": second})
        run(folder, tools / "venv/bin/pelican", "-q", "content", "-o", "out", "-s", "pelicanconf.py")
        return folder / "out/guide.html"

    return make


def jekyll(folder: Path, tools: Path) -> Path:
    front = "---\ntitle: {}\nlayout: post\n---\n"
    title, _, body = ELEMENTS.partition("\n")
    second = SECOND.replace("# Reference\n", front.format("Reference"), 1)
    files = {"_config.yml": f"title: Tides\nurl: {_SITE}\ntheme: minima\n", "_posts/2026-01-02-reference.md": second}
    write(folder, {**files, "_posts/2026-01-01-elements.md": front.format(title[2:]) + body})
    run(folder, "jekyll", "build", "-q", LANG="C.UTF-8")
    return folder / "_site/2026/01/01/elements.html"


def hexo(theme: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, tools: Path) -> Path:
        (folder / "node_modules").symlink_to(tools / "npm/node_modules")
        packages = json.loads((tools / "npm/package.json").read_text("utf-8"))["dependencies"]
        used = {name: version for name, version in packages.items() if name.startswith("hexo")}
        package = json.dumps({"name": "site", "private": True, "hexo": {"version": ""}, "dependencies": used})
        config = f"title: Tides\nurl: {_SITE}\ntheme: {theme}\npermalink: :title/\nauthor: Ann\n"
        front = f"---\ntitle: {TITLE[2:]}\ndate: 2026-03-01\ntags: [tides, sea]\n---\n"
        second = SECOND.replace("# Reference", "---\ntitle: Reference\ndate: 2026-02-01\n---", 1)
        files = {"package.json": package, "_config.yml": config, "source/_posts/guide.md": front + BODY}
        write(folder, {**files, "source/_posts/reference.md": second})
        run(folder, tools / "npm/node_modules/.bin/hexo", "generate", "--silent")
        return folder / "public/guide/index.html"

    return make


def nikola(theme: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, tools: Path) -> Path:
        command = tools / "venv/bin/nikola"
        run(folder, command, "init", "-q", "site")
        site = folder / "site"
        config = (site / "conf.py").read_text("utf-8").replace('THEME = "bootblog4"', f'THEME = "{theme}"')
        config = config.replace("POSTS = (", 'POSTS = (\n    ("posts/*.md", "posts", "post.tmpl"),', 1)
        front = ".. title: {}\n.. slug: {}\n.. date: 2026-03-0{} 10:00:00 UTC\n.. tags: tides\n\n"
        second = SECOND.replace("# Reference\n", "", 1)
        files = {"conf.py": config, "posts/guide.md": front.format(TITLE[2:], "guide", 2) + BODY}
        write(site, {**files, "posts/reference.md": front.format("Reference", "reference", 1) + second})
        run(site, command, "build", "-q")
        return site / "output/posts/guide/index.html"

    return make


def hugo(folder: Path, tools: Path) -> Path:
    run(folder, "hugo", "new", "site", "site")
    site = folder / "site"
    page = """<!doctype html><html><head><title>{{ .Title }} | Tides</title></head><body>
<header class="site-header"><a href="/">Tides</a><ul class="menu"><li><a href="/posts/">Posts</a></li>
<li><a href="/about/">About</a></li></ul></header><main class="post"><article><header><h1>{{ .Title }}</h1>
<p class="post-meta">{{ .Date.Format "2 Jan 2006" }} · {{ .ReadingTime }} min read</p></header>
<div class="post-content">{{ .Content }}</div><footer class="post-footer"><ul class="tags"><li>tides</li></ul></footer>
</article><aside class="related"><h3>Related posts</h3><ul><li><a href="/r/">Reference</a></li></ul></aside></main>
<footer class="footer"><p>© 2026 Tides. Powered by Hugo.</p></footer></body></html>"""
    guide = f"---\ntitle: {TITLE[2:]}\ndate: 2026-03-01\n---\n{BODY}"
    write(site, {"layouts/_default/single.html": page, "layouts/index.html": "x", "content/posts/guide.md": guide})
    run(site, "hugo", "-d", "out", "--disableKinds", "taxonomy,term,section")
    return site / "out/posts/guide/index.html"


# A layout of our own with the parts that blogs made with Eleventy have: Eleventy itself brings none.
_ELEVENTY = """<!doctype html><html lang="en"><head><title>{{ title }} | Tides</title></head><body>
<a href="#skip" class="visually-hidden">Skip to main content</a><header><a href="/" class="home-link">Tides</a>
<nav><h2 class="visually-hidden">Top level navigation menu</h2><ul class="nav">
<li class="nav-item"><a href="/">Home</a></li><li class="nav-item"><a href="/blog/">Archive</a></li></ul></nav>
</header><main id="skip"><heading-anchors><h1>{{ title }}</h1><ul class="post-metadata"><li><time
datetime="2026-03-01">01 March 2026</time></li><li><a href="/tags/tides/" class="post-tag">tides</a></li></ul>
{{ content }}
<ul class="links-nextprev"><li class="links-nextprev-prev">← Previous<br> <a href="/reference/">Reference</a></li></ul>
</heading-anchors></main><footer><p><em>Built with <a href="https://www.11ty.dev/">Eleventy</a></em></p></footer>
</body></html>"""


def eleventy(folder: Path, tools: Path) -> Path:
    (folder / "node_modules").symlink_to(tools / "eleventy/node_modules")
    guide = f"---\ntitle: {TITLE[2:]}\nlayout: post.html\n---\n{BODY}"
    second = SECOND.replace("# Reference", "---\ntitle: Reference\nlayout: post.html\n---", 1)
    files = {"_includes/post.html": _ELEVENTY, "guide.md": guide, "reference.md": second}
    write(folder, {**files, "package.json": '{"type": "module"}'})
    run(folder, tools / "eleventy/node_modules/.bin/eleventy", "--quiet")
    return folder / "_site/guide/index.html"


GENERATORS = (
    Generator("mkdocs", mkdocs("mkdocs"), _pip("mkdocs")),
    Generator("mkdocs-readthedocs", mkdocs("readthedocs"), _pip("mkdocs")),
    Generator("mkdocs-material", mkdocs("material"), _pip("mkdocs-material")),
    Generator("mkdocs-shadcn", mkdocs_extended("shadcn", "guide"), _pip("mkdocs-shadcn")),
    Generator("elements-mkdocs-windmill", mkdocs_extended("windmill", "elements"), _pip("mkdocs-windmill")),
    Generator("zensical", zensical, _pip("zensical")),
    Generator("sphinx-alabaster", sphinx("alabaster"), _pip("sphinx")),
    Generator("sphinx-rtd", sphinx("sphinx_rtd_theme"), _pip("sphinx-rtd-theme")),
    Generator("sphinx-furo", sphinx("furo"), _pip("furo")),
    Generator("sphinx-pydata", sphinx("pydata_sphinx_theme"), _pip("pydata-sphinx-theme")),
    Generator("elements-sphinx-press", sphinx_elements("press"), _pip("sphinx-press-theme")),
    Generator("pdoc", pdoc, _pip("pdoc")),
    Generator("rustdoc", rustdoc, _command("rustdoc", "--version")),
    Generator("doxygen", doxygen, _command("doxygen", "--version")),
    Generator("javadoc", javadoc, _command("javadoc", "--version")),
    Generator("asciidoctor", asciidoctor, _command("asciidoctor", "--version")),
    Generator("jsdoc", jsdoc, _npm("npm", "jsdoc")),
    Generator("typedoc", typedoc, _npm("npm", "typedoc")),
    Generator("vitepress", vitepress, _npm("npm", "vitepress")),
    Generator("vuepress", vuepress, _npm("vue", "vuepress")),
    Generator("starlight", starlight, _npm("astro", "@astrojs/starlight")),
    Generator("docusaurus", docusaurus, _npm("docu", "@docusaurus/core")),
    Generator("elements-rspress", rspress, _npm("rspress", "rspress")),
    Generator("elements-jekyll-minima", jekyll, _command("jekyll", "--version")),
    Generator("honkit", honkit, _npm("npm", "honkit")),
    Generator("blog-pelican-simple", pelican("simple"), _pip("pelican")),
    Generator("blog-pelican-notmyidea", pelican("notmyidea"), _pip("pelican")),
    Generator("blog-hexo-landscape", hexo("landscape"), _npm("npm", "hexo-theme-landscape")),
    Generator("blog-hexo-fluid", hexo("fluid"), _npm("npm", "hexo-theme-fluid")),
    Generator("blog-nikola-bootblog4", nikola("bootblog4"), _pip("nikola")),
    Generator("blog-nikola-base", nikola("base"), _pip("nikola")),
    Generator("blog-eleventy", eleventy, _npm("eleventy", "@11ty/eleventy")),
    Generator("blog-hugo", hugo, _command("hugo", "version")),
)


def main() -> None:
    tools, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:]
    TARGET.mkdir(parents=True, exist_ok=True)
    record = TARGET / "versions.json"
    versions = json.loads(record.read_text("utf-8")) if record.exists() else {}
    for generator in GENERATORS:
        if wanted and generator.name not in wanted:
            continue
        folder = Path(tempfile.mkdtemp(prefix="generator-"))
        try:
            page = generator.make(folder, tools)
            data = gzip.compress(page.read_bytes(), 9, mtime=0)
            (TARGET / f"{generator.name}.html.gz").write_bytes(data)
            versions[generator.name] = generator.version(tools)
            print(f"{generator.name} {versions[generator.name]}: {len(data):,} bytes", flush=True)
        except (RuntimeError, OSError, StopIteration, subprocess.TimeoutExpired) as error:
            print(f"{generator.name} was not built: {error}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    record.write_text(json.dumps(dict(sorted(versions.items())), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
