# ruff: noqa: E501 (a page a line)
"""Code blocks: every highlighter's markup comes back as what was typed."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<pre><code class="language-js">x</code></pre>', "js"),
        ('<pre class="lang-rb"><code>x</code></pre>', "rb"),
        ('<div class="highlight-python3 notranslate"><div class="highlight"><pre>x</pre></div></div>', "python"),
        ('<div class="highlight-default"><div class="highlight"><pre>x</pre></div></div>', ""),
        ('<div class="highlight highlight-source-shell"><pre>x</pre></div>', "shell"),
        ('<div class="highlight highlight-text-html-basic"><pre>x</pre></div>', "html"),
        ('<div class="sourceCode" id="cb1"><pre class="sourceCode python"><code class="sourceCode python">x</code></pre></div>', "python"),
        ('<pre class="brush: js; notranslate"><code>x</code></pre>', "js"),
        ('<pre class="brush:php">x</pre>', "php"),
        ('<pre class="rust rust-example-rendered"><code>x</code></pre>', "rust"),
        ('<pre class="src src-emacs-lisp">x</pre>', "emacs-lisp"),
        ('<pre><code class="hljs yaml">x</code></pre>', "yaml"),
        ('<pre><code class="hljs language-bash">x</code></pre>', "bash"),
        ('<pre data-language="ts"><code>x</code></pre>', "ts"),
        ('<pre lang="go"><code>x</code></pre>', "go"),
        ('<pre lang="en"><code>x</code></pre>', ""),
        ('<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code>x</code></pre></div></div>', "ruby"),
        ('<div class="highlight"><pre class="chroma"><code class="language-cpp" data-lang="cpp">x</code></pre></div>', "cpp"),
        ('<pre class="prettyprint lang-c">x</pre>', "c"),
        ('<figure class="highlight java"><pre>x</pre></figure>', "java"),
        ('<pre class="programlisting language-c++">x</pre>', "c++"),
        ('<pre class="highlight-wrap code-block">x</pre>', ""),
        ('<pre><code class="language-text">x</code></pre>', ""),
        ('<pre class="EnlighterJSRAW" data-enlighter-language="sql">x</pre>', "sql"),
        ('<div class="example lisp"><pre class="lisp-preformatted">x</pre></div>', "lisp"),
        ('<div class="mw-highlight mw-highlight-lang-python mw-content-ltr"><pre>x</pre></div>', "python"),
        ("<pre>x</pre>", ""),
    ],
)  # fmt: skip
def test_fence_names_the_stated_language(md, html: str, language: str) -> None:
    assert md(html) == f"```{language}\nx\n```"


def test_language_of_a_neighbour_is_not_borrowed(md) -> None:
    html = '<div class="language-js"><pre>a</pre><pre>b</pre></div>'
    assert md(html) == "```\na\n```\n\n```\nb\n```"


@pytest.mark.parametrize(
    "html",
    [
        '<pre><span class="lineno">1</span>a = 1\n<span class="lineno">2</span>b = 2</pre>',
        '<table class="lntable"><tr><td class="lntd"><pre><span class="lnt">1\n</span><span class="lnt">2\n</span></pre></td>'
        '<td class="lntd"><pre><code>a = 1\nb = 2\n</code></pre></td></tr></table>',
        '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td>'
        '<td class="code"><div class="highlight"><pre>a = 1\nb = 2\n</pre></div></td></tr></table>',
        '<figure class="highlight"><table><tr><td class="gutter"><pre>1\n2</pre></td>'
        '<td class="code"><pre>a = 1\nb = 2</pre></td></tr></table></figure>',
        '<table class="hljs-ln"><tr><td class="hljs-ln-numbers" data-line-number="1"></td><td>a = 1</td></tr>'
        '<tr><td class="hljs-ln-numbers" data-line-number="2"></td><td>b = 2</td></tr></table>',
        '<table><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">a = 1</td></tr>'
        '<tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">b = 2</td></tr></table>',
        '<pre><code><span style="user-select:none"> 1</span><span>a = 1\n</span><span style="user-select:none"> 2</span>'
        "<span>b = 2</span></code></pre>",
        '<pre class="shiki"><code><span class="line">a = 1</span>\n<span class="line">b = 2</span></code></pre>',
        '<pre><code><span class="token-line">a = 1<br></span><span class="token-line">b = 2<br></span></code></pre>',
        '<pre><code><span data-line="">a = 1</span><span data-line="">b = 2</span></code></pre>',
        "<pre><div>a = 1</div><div>b = 2</div></pre>",
        "<pre>a = 1<br>b = 2</pre>",
        '<div class="fragment"><div class="line"><span class="lineno">  1</span>a = 1</div>\n'
        '<div class="line"><span class="lineno">  2</span>b = 2</div></div>',
        "<pre><code>a = 1\nb = 2<button>Copy</button><style>pre{}</style></code></pre>",
        '<pre><code><div class="code__header"><span>python</span><button>Copy</button></div>a = 1\nb = 2</code></pre>',
        '<div class="code-block" data-lang="">a = 1\nb = 2</div>',
        "<code class=wrap><pre><code>a = 1\nb = 2</code></pre></code>",
        "<blockquote><pre>a = 1\nb = 2</pre></blockquote>",
        "<pre>  a = 1\n  b = 2</pre>",
        '<table class="source_code"><tr><td><pre class="lines">1\n2</pre></td><td><pre class="code">a = 1\nb = 2</pre></td></tr></table>',
        '<table><tr><td class="listing_lines"><pre>1\n2</pre></td><td><pre class="programlisting">a = 1\nb = 2</pre></td></tr></table>',
    ],
)
def test_gutters_buttons_and_line_boxes_leave_the_code(md, html: str) -> None:
    assert md(html) == "```\na = 1\nb = 2\n```"


def test_indentation_and_blank_lines_inside_stay(md) -> None:
    assert md("<pre>def f():\n\n    return 1\n</pre>") == "```\ndef f():\n\n    return 1\n```"


def test_lines_of_code_without_a_pre_are_a_block_if_a_class_names_their_language(md) -> None:
    code = '<code class="language-python">a = 1\nb = 2</code>'
    assert md(f"<div>{code}</div>") == "```python\na = 1\nb = 2\n```"
    assert md(f"<p>{code}</p>") == "`a = 1 b = 2`"


def test_label_above_a_block_becomes_its_language(md) -> None:
    assert md("<div><div><span>Python</span><button>Copy</button></div><pre>x</pre></div>") == "```python\nx\n```"
    assert md("<div>Python</div><div>Copy code</div><pre>x</pre>") == "```python\nx\n```"


def test_code_spans_keep_their_links(md) -> None:
    html = '<p><code>Map&lt;<a href="K.html">K</a>, <a href="V.html">V</a>&gt;</code></p>'
    expected = "`Map<`[`K`](https://docs.example.org/guide/K.html)`,` [`V`](https://docs.example.org/guide/V.html)`>`"
    assert md(html) == expected


def test_numbers_beside_a_block_are_left_out(md) -> None:
    html = '<div class="language-ts"><span class="lang">ts</span><pre><code>a\nb</code></pre><div class="line-numbers-wrapper"><span class="line-number">1</span><br><span class="line-number">2</span></div></div>'
    assert md(html) == "```ts\na\nb\n```"


def test_code_whose_lines_are_set_by_breaks_is_a_block(md) -> None:
    html = "<p>Run:</p><p><tt>make<br>\nmake\ntest<br>\n&nbsp; make install</tt></p>"
    assert md(html) == "Run:\n\n```\nmake\nmake test\n  make install\n```"


def test_breaks_in_code_inside_a_paragraph_stay_breaks(md) -> None:
    assert md("<p>Type <tt>make<br>make test</tt> and wait.</p>") == "Type `make`  \n`make test` and wait."


def test_code_element_that_was_never_closed_does_not_swallow_the_blocks_after_it(md) -> None:
    html = "<p>Set <tt>PATH<tt></p><p>Then run</p><blockquote><pre>make</pre></blockquote><h2>Next</h2>"
    assert "```\nmake\n```\n\n## " in md(html)


def test_code_in_the_rows_of_a_table_is_a_block(md) -> None:
    inner = (
        "<table class=RktBlk><tr><td>&gt; (module m</td></tr><tr><td><span>&nbsp;&nbsp;</span>(open))</td></tr></table>"
    )
    html = f"<blockquote><table class=RktBlk><tr><td>{inner}</td></tr><tr><td>5</td></tr></table></blockquote>"
    assert md(html) == "```\n> (module m\n  (open))\n5\n```"


def test_code_right_after_code_is_one_code_span_and_keys_are_two(md):
    assert md("<p>Use <code>a.</code><code>b()</code>.</p>") == "Use `a.b()`."
    assert md("<p>Press <kbd>Ctrl</kbd><kbd>C</kbd>.</p>") == "Press `Ctrl` `C`."
    assert md("<p><code>name</code><code>string</code></p>") == "`name` `string`"
    assert md("<p><code>`</code><code>z</code></p>") == "`` ` `` `z`"


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<table><tr><td>Input</td><td><pre>1 2 3</pre></td></tr><tr><td>Output</td><td><pre>six</pre></td></tr></table>", "Input"),
        ("<table><tr><th>Input<th>Output<tr><td><pre>1 2 3\n</pre><td><pre>six</pre></table>", "1 2 3"),
        ("<table><tr><td><pre>1 2 3</pre></td><td><pre>six</pre></td></tr></table>", "1 2 3"),
        ("<table><tr><td><pre>1\n2</pre></td><td><pre>a\nb</pre></td><td>Side text</td></tr></table>", "Side text"),
        ("<table><tr><td>Side text<table class=highlighttable><tr><td class=linenos><pre>1</pre><td><pre>a</pre></table></td></tr></table>", "Side text"),
    ],
)  # fmt: skip
def test_text_in_a_table_with_code_is_kept(md, html: str, kept: str) -> None:
    assert kept in md(html)


def test_numbers_of_lines_in_a_table_without_names_are_left_out(md) -> None:
    table = "<table><tr><td><pre>9\n10\n11</pre></td><td><pre>a\nb\nc\n</pre></td></tr></table>"
    assert md(table) == "```\na\nb\nc\n```"


def test_code_in_a_cell_cannot_end_its_span(md) -> None:
    html = "<table><tr><th>a<th>b<tr><td><pre>x` [y](javascript:z) `  w</pre><td>c</table>"
    assert "| ``x` [y](javascript:z) `  w`` | c |" in md(html)


def test_name_of_a_file_above_code_with_line_numbers_is_kept(md) -> None:
    row = "<tr><td class=linenos><pre>1</pre></td><td><pre>a = 1</pre></td></tr>"
    html = f"<table class=highlighttable><tr><th colspan=2>main.py</th></tr>{row}</table>"
    assert md(html) == "*main.py*\n\n```\na = 1\n```"
    html = "<table class=highlighttable><tr><td class=linenos><pre>1</pre></td><td>Text<pre>a</pre></td></tr></table>"
    assert md(html) == "```\nTexta\n```"


def test_classes_of_highlighters_are_not_badges(md) -> None:
    html = (
        '<pre class="code json"><code><span class="punctuation">{</span><span class="name tag">"a"</span></code></pre>'
    )
    assert md(html) == '```json\n{"a"\n```'


@pytest.mark.parametrize("after", ["", "<b>(1)</b>"])
def test_number_of_a_callout_is_written_once(md, after: str) -> None:
    html = f'<pre><code class="language-python">step(1) <i class="conum" data-value="1"></i>{after}</code></pre>'
    assert md(html) == "```python\nstep(1) (1)\n```"


def test_line_of_code_in_the_frame_of_a_highlighter_is_a_block(md) -> None:
    assert md('<div class="language-sh"><div class="scroll"><code>ls\n</code></div></div>') == "```sh\nls\n```"
