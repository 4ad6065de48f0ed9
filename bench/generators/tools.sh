#!/bin/sh
# Install the generators that bench/generators/build.py runs into the folder $1. From the system: doxygen, hugo,
# asciidoctor, jekyll, jekyll-theme-minima (apt), rustdoc (rustup) and javadoc (a JDK). Versions used are in
# tests/golden/generators/versions.json.
set -eu
mkdir -p "$1" && cd "$1"
python3 -m venv venv
venv/bin/pip install -q mkdocs mkdocs-material zensical sphinx myst-parser furo sphinx-rtd-theme pydata-sphinx-theme \
    pdoc pelican markdown nikola pymdown-extensions mkdocs-shadcn mkdocs-windmill sphinx-press-theme
node_packages() {
    folder=$1
    shift
    mkdir -p "$folder" && (cd "$folder" && npm init -y >/dev/null && npm install --no-audit --no-fund "$@")
}
node_packages npm jsdoc typedoc typescript honkit vitepress hexo hexo-renderer-marked hexo-renderer-ejs \
    hexo-renderer-stylus hexo-theme-landscape hexo-theme-fluid
node_packages vue --legacy-peer-deps vuepress@2.0.0-rc.31 @vuepress/bundler-vite@2.0.0-rc.31 \
    @vuepress/theme-default@2.0.0-rc.132 sass-embedded vue
node_packages astro astro@5 @astrojs/starlight@0.36
node_packages docu @docusaurus/core@3.8.1 @docusaurus/preset-classic@3.8.1 react@19 react-dom@19
node_packages eleventy @11ty/eleventy@3.1.2
node_packages rspress --ignore-scripts rspress@1.40.0
