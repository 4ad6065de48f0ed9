"""Pages as documentation generators make them: what the reader needs of each, and nothing of its navigation."""

from __future__ import annotations

import pytest
from tests.extract.reading import read

TEXT = "<p>The valve opens when the pressure in the boiler is above the limit that the operator has set for it.</p>"


def markdown(html: str) -> str:
    return read(html, "text/html", "https://manuals.example.org/valve/page.html").markdown


def test_javadoc_grid_of_columns_is_a_table() -> None:
    html = f"""<body class="class-declaration-page"><main role="main"><h1 class="title">Class Valve</h1>{TEXT}
        <div class="type-signature"><span>public final class </span><span>Valve</span>
        <span>extends <a href="Pipe.html">Pipe</a></span></div>
        <div id="t"><div class="table-tabs" role="tablist"><button role="tab" aria-controls="p">All Methods</button>
        <button role="tab" aria-controls="p">Static Methods</button></div><div id="p" role="tabpanel">
        <div class="summary-table three-column-summary"><div class="table-header col-first">Type</div>
        <div class="table-header col-second">Method</div><div class="table-header col-last">Description</div>
        <div class="col-first"><code>int</code></div><div class="col-second"><code>open()</code></div>
        <div class="col-last"><div class="block">Opens it.</div></div>
        <div class="col-first"><code>void</code></div><div class="col-second"><code>close()</code></div>
        <div class="col-last">&nbsp;</div></div></div></div></main>"""
    text = markdown(html)
    assert "| Type | Method | Description |\n| --- | --- | --- |\n| `int` | `open()` | Opens it. |" in text
    assert "| `void` | `close()` |  |" in text
    assert "`public final class Valve extends` [`Pipe`](https://manuals.example.org/valve/Pipe.html)" in text
    assert "Static Methods" not in text, "tabs that filter the rows of one table label nothing"


def test_doxygen_title_is_the_first_heading_and_captions_of_graphs_are_left_out() -> None:
    html = f"""<meta name="generator" content="Doxygen 1.9.4"><div id="doc-content"><div class="header">
        <div class="headertitle"><div class="title">Valve Class Reference<div class="ingroups">
        <a href="steam.html">Steam</a></div></div></div></div><div class="contents">
        {TEXT}<div class="dynheader">Inheritance diagram for Valve:</div><a href="#details">More...</a>
        <h2 class="groupheader">Members</h2>{TEXT}</div></div>"""
    text = markdown(html)
    assert text.startswith("# Valve Class Reference\n\n[Steam](")
    assert "## Members" in text
    assert "diagram" not in text
    assert "More..." not in text


def test_doxygen_before_its_generator_tag_is_known_by_its_tabs() -> None:
    html = f"""<div class="navigation" id="top"><div class="tabs"><ul><li><a href="a.html">Main Page</a></ul></div>
        </div><div class="contents"><h1>Valve Class Reference</h1>{TEXT * 2}</div>
        <hr class="footer"/><address><small>Generated on Thu Aug 5 2010 by <a href="http://www.doxygen.org/">doxygen
        </a> 1.6.3</small></address>"""
    text = markdown(html)
    assert text.startswith("# Valve Class Reference")
    assert "Main Page" not in text
    assert "Generated" not in text


def test_docbook_bars_of_navigation_go_also_in_quirks_mode() -> None:
    """Without a doctype class names match in any case, so that a rule for `.NAVHEADER ~ *` finds `.navfooter` too."""
    html = f"""<html><body><div class="navheader"><a accesskey="p" href="a.html">Prev</a></div>
        <div class="sect1"><h2>2.4. Valves</h2>{TEXT * 2}</div><div class="navfooter"><hr><table><tr>
        <td><a accesskey="p" href="a.html">Prev</a></td><td><a accesskey="n" href="c.html">Next</a></td></tr>
        <tr><td>2.3. Pipes</td><td>2.5. Pumps</td></tr></table></div></body></html>"""
    text = markdown(html)
    assert text.startswith("## 2.4. Valves")
    assert "Prev" not in text
    assert "Pumps" not in text


def test_docbook_by_publican_keeps_its_title_and_the_titles_of_its_boxes() -> None:
    html = f"""<head><meta name="generator" content="publican v4.3.2"></head><body><ul class="docnav"><li class="next">
        <a accesskey="n" href="c.html"><strong>Next</strong></a></li></ul><div class="chapter"><div class="titlepage">
        <h1 class="title">Chapter 8. Valves</h1></div>{TEXT}<div class="sidebar"><div class="titlepage">
        <p class="title"><strong>TOOL The key</strong></p></div><div class="para">It turns the valve.</div></div></div>
        <ul class="docnav"><li class="next"><a href="c.html">Next</a></li></ul></body>"""
    text = markdown(html)
    assert text.startswith("# Chapter 8. Valves")
    assert "**TOOL The key**\n\nIt turns the valve." in text
    assert "Next" not in text


def test_texinfo_by_texi2any_loses_its_table_of_arrows() -> None:
    html = f"""<head><meta name="Generator" content="texi2any"></head><body><div class="chapter"><table class="header">
        <tr><td>[<a href="a.html"> &lt;&lt; </a>]</td><td>[<a href="i.html">Index</a>]</td></tr></table>
        <h1 class="chapter">7 Valves</h1>{TEXT * 2}</div></body>"""
    text = markdown(html)
    assert text.startswith("# 7 Valves")
    assert "Index" not in text


def test_haddock_title_signatures_and_instances() -> None:
    html = f"""<body><div id="package-header"><span>valves-1.0</span></div><div id="content"><div id="module-header">
        <table class="info"><tr><th>Safe Haskell</th><td>Safe</td></tr></table><p class="caption">Data.Valve</p></div>
        <div id="interface"><a href="#g:1" id="g:1"><h1>Opening</h1></a><div class="top"><p class="src">
        <a id="v:open" class="def">open</a> :: <a href="Valve.html">Valve</a> -&gt; Bool
        <a href="src/Valve.html" class="link">Source</a> <a href="#v:open" class="selflink">#</a></p>
        <div class="doc">{TEXT}</div><div class="subs instances"><h4>Instances</h4><table><tr><td class="src">Eq Valve
        </td><td class="doc"><p>By number.</p></td></tr><tr><td colspan="2"><details><summary
        class="hide-when-js-enabled">Instance details</summary><p>Defined in Data.Valve</p></details></td></tr></table>
        </div></div></div></div></body>"""
    text = markdown(html)
    assert text.startswith("# Data.Valve\n\n# Opening\n")
    assert "`open ::` [`Valve`](https://manuals.example.org/valve/Valve.html) `-> Bool`" in text
    assert "| Eq Valve | By number. |" in text
    assert "Source" not in text
    assert "Instance details" not in text


def test_texinfo_tables_of_navigation_and_a_frame_of_contents_go() -> None:
    bar = '<table class="nav_table"><tr><td>[<a href="a.html" rel="previous">Pipes</a>]</td></tr></table>'
    html = f"""<meta name="generator" content="texi2html 1.82"><body><div id="main">{bar}<h3>2.2 Valves</h3>{TEXT * 2}
        {bar}<div id="footer"><p>This page is for version 2.</p></div></div><div id="tocframe"><ul><li>
        <a href="b.html">Pumps</a></ul></div></body>"""
    text = markdown(html)
    assert text.startswith("### 2.2 Valves")
    assert text.rstrip().endswith("set for it.")


@pytest.mark.parametrize(
    "html",
    [
        '<div class="tocset"><table><tr><td><a href="a.html">Pipes</a></td></tr></table></div><div class="maincolumn">'
        '<div class="main"><div class="navsettop"><a href="c.html">next →</a></div><h2>Valves</h2>{text}</div></div>',
        '<meta name="generator" content="Crystal Docs 1.6.0"><body><div class="sidebar"><h1>Project</h1><ul><li>'
        '<a href="a.html">Pipes</a></ul></div><div class="main-content"><h2>Valves</h2>{text}</div></body>',
        '<body id="manual-page"><div id="page-header"><p><a href="a.html">Modules</a></p></div><div id="page-content">'
        '<div id="preamble"><h2>Valves</h2><div class="toplang">Available Languages: en</div></div>'
        '<div class="top"><a href="#page-header">top</a></div><div class="section">{text}</div></div></body>',
        '<body><div role="main" class="col-md-9"><h2>Valves</h2>{text}</div><div id="mkdocs_search_modal"><h4>Search'
        "</h4></div></body>",
    ],
    ids=["scribble", "crystal", "apache-manual", "mkdocs"],
)
def test_generator_is_known_by_its_marks(html: str) -> None:
    text = markdown(html.format(text=TEXT * 2))
    assert text.startswith("## Valves")
    assert text.rstrip().endswith("set for it.")


def test_page_without_a_title_element_is_named_by_its_first_heading() -> None:
    document = read(f"<h2>A guide to valves</h2>{TEXT * 2}", "text/html")
    assert document.title == "A guide to valves"


def test_unknown_manual_keeps_its_title_its_sections_and_the_code_that_ends_them() -> None:
    parts = ("The valve", "The inlet", "The outlet", "The boiler", "The drain", "The safety valve", "The bypass")
    text = "".join(f"<p>{part} opens when the pressure in it is above the limit that was set.</p>" for part in parts)
    html = f"""<title>Valves - Steam manual</title><body><div class="bar"><a href="a.html">Home</a></div>
        <div class="text"><h1>Valves</h1>{text}<h1><a href="#toc2">2 Pipes</a></h1>{text}
        <h1>3 Example</h1><p>Opening all of them, in the order in which they were installed:</p>
        <pre>for each in valves\n  each.open()</pre></div><div class="bar"><a href="a.html">Home</a></div></body>"""
    found = markdown(html)
    assert [line for line in found.split("\n") if line.startswith("#")] == ["# Valves", "# 2 Pipes", "# 3 Example"]
    assert found.rstrip().endswith("```\nfor each in valves\n  each.open()\n```")


def test_short_page_of_a_known_generator_has_nothing_but_its_content() -> None:
    html = """<meta name="generator" content="Doxygen 1.9.4"><div id="doc-content"><div class="header">
        <div class="headertitle"><div class="title">Related Pages</div></div></div><div class="contents">
        <div class="textblock">Here is a list of all related pages:</div></div></div><hr class="footer"/>
        <address class="footer">Generated by <a href="https://www.doxygen.org/">doxygen</a> 1.9.4</address>"""
    assert markdown(html) == "# Related Pages\n\nHere is a list of all related pages:"


def test_page_that_is_one_table_is_written_as_a_table() -> None:
    rows = "".join(
        f"<tr><td><a href='{n}.html'>valve-{n}</a></td><td>Opens inlet {n} of a boiler</td></tr>" for n in range(9)
    )
    html = f"<title>Valves</title><div><a href='a.html'>Home</a> <a href='b.html'>Up</a></div><table>{rows}</table>"
    assert "| [valve-0](https://manuals.example.org/valve/0.html) | Opens inlet 0 of a boiler |\n| --- |" in markdown(
        html
    )


def test_uses_of_a_class_in_javadoc_have_their_title() -> None:
    html = f"""<div class="header"><h2 title="Uses of Class Valve" class="title">Uses of Class<br>steam.Valve</h2></div>
        <div class="classUseContainer">{TEXT * 2}</div><div class="bottomNav"><a href="i.html">Index</a></div>"""
    assert markdown(html).startswith("## Uses of Class steam.Valve\n\nThe valve")
    assert "Index" not in markdown(html)


def test_entries_of_a_docbook_index_keep_their_links() -> None:
    entries = "".join(f'<dt>valve_{n}, <a class="indexterm" href="v.html#{n}">valve_{n} ()</a></dt>' for n in range(9))
    html = f"""<meta name="generator" content="DocBook XSL Stylesheets Vsnapshot"><div class="index"><h1>Index</h1>
        <div class="indexdiv"><h3>V</h3><dl>{entries}</dl></div></div>"""
    assert "valve_3, [valve_3 ()](https://manuals.example.org/valve/v.html#3)" in markdown(html)


def test_pydoctor_of_2025_is_read_whole_with_the_names_of_properties() -> None:
    html = f"""<meta name="generator" content="pydoctor 25.10.1"><nav><a href="index.html">API</a></nav>
        <main><div class="page-header"><h1 class="class"><code>Valve</code></h1></div>
        <div class="moduleDocstring">{TEXT}</div><div id="child-list"><div class="baseproperty">
        <div class="functionHeader"><span>@property</span>
        <span class="py-defname">pressure</span>: <code>float</code> <a class="headerLink" href="#p">¶</a></div>
        <div class="docstring functionBody">{TEXT}</div></div></div></main><footer>pydoctor</footer>"""
    text = markdown(html)
    assert text.startswith("# `Valve`")
    assert "pressure: `float`" in text
    assert "¶" not in text


def test_sphinx_page_of_any_theme_is_known_by_the_link_of_its_heading() -> None:
    html = f"""<body><div class="left"><ul><li><a href="a.html">Valves</a></li></ul></div><div class="page">
        <section id="valve"><h1>Valve<a class="headerlink" href="#valve">¶</a></h1>{TEXT}<dl class="py class">
        <dt class="sig sig-object" id="Valve"><span>class Valve</span><a class="reference internal"
        href="_modules/valve.html"><span class="viewcode-link">[source]</span></a></dt><dd>{TEXT}</dd></dl></section>
        <p>Was this page of use to you? Tell us about it in the forum, where we read everything.</p></div></body>"""
    text = markdown(html)
    assert text.startswith("# Valve\n\nThe valve opens")
    assert "[source]" not in text
    assert "Was this page" not in text
