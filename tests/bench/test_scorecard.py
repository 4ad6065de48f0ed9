"""The scorecard's own parts, and a small race: our server over a few questions, through a real SearXNG."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest
from bench.scorecard import corpus, processes, race, tokens
from bench.scorecard.charts import bars
from bench.scorecard.contestants import Setting, read_answers
from bench.scorecard.corpus import Corpus, Question, holds
from bench.scorecard.engine import PlainEngine
from bench.scorecard.hostile_part import Runner
from bench.scorecard.hostile_site import hostile_site
from bench.scorecard.installs import Installed
from bench.scorecard.race import Lap, Outcome
from bench.scorecard.race_tables import factor_table, race_table
from bench.scorecard.rows import time_row
from bench.scorecard.servers import in_order, running
from bench.scorecard.site import serving
from bench.scorecard.table import Row, Table, changes, from_json, settled
from bench.scorecard.verdicts import Verdict, difference, of_difference, of_ratio, paired, ratio


def test_questions_and_pages_are_as_they_were_frozen() -> None:
    assert corpus.digest() == (corpus.FOLDER / "SHA256").read_text().strip()


def test_a_changed_page_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("site: docs\nformat: html\ntitle: A\n---\nText.\n")
    (tmp_path / "questions.jsonl").write_text("")
    (tmp_path / "SHA256").write_text("0" * 64)
    with pytest.raises(SystemExit, match="have changed"):
        corpus.load(tmp_path)


def test_every_passage_stands_in_its_page_and_in_no_other() -> None:
    found = corpus.load()
    for question in found.questions:
        holding = [page.name for page in found.pages if question.passage and holds(page.markdown, question.passage)]
        assert holding == ([question.page] if question.answerable else []), question


def test_a_passage_is_recognised_through_markdown_but_not_with_another_figure() -> None:
    passage = "The pump takes 52 litres a minute, unless `dry_run` is set."
    assert holds("… The **pump** takes [52 litres](http://x/y) a minute, unless dry\\_run is set. …", passage)
    assert holds('{"content": "The pump takes 52\\nlitres a minute, unless dry_run is set."}', passage)
    assert not holds("The pump takes 50 litres a minute, unless dry_run is set.", passage)


def test_the_engine_finds_most_gold_pages_among_the_first_five() -> None:
    found = corpus.load()
    engine = PlainEngine({page.name: (page.title, page.markdown) for page in found.pages})
    asked = [question for question in found.questions if question.answerable]
    hits = sum(question.page in [one.url for one in engine.search(question.text, 5)] for question in asked)
    assert hits >= 0.9 * len(asked)


def test_verdicts_need_the_whole_interval_on_one_side() -> None:
    ours, twice = [float(number) for number in range(10, 40)], [2.0 * number for number in range(10, 40)]
    assert of_ratio(paired(ours, twice, ratio)) == "ahead"
    assert of_ratio(paired(twice, ours, ratio)) == "behind"
    assert of_ratio(paired(ours, ours, ratio)) == "equal"
    hits, misses = [1.0] * 30, [1.0, 0.0] * 15
    assert of_difference(paired(hits, misses, difference)) == "ahead"
    assert of_difference(paired(misses, list(reversed(misses)), difference)) == "equal"


def test_the_same_outcomes_give_the_same_interval_twice() -> None:
    ours, theirs = [1.0, 5.0, 2.0, 8.0], [3.0, 2.0, 9.0, 4.0]
    assert paired(ours, theirs, ratio) == paired(ours, theirs, ratio)


def test_a_verdict_that_got_worse_is_named() -> None:
    def table(verdict: Verdict) -> Table:
        return Table("hidden", "Hidden text", "", (Row("left out", "a peer", "1", "1", "", verdict),))

    (found,) = changes([table("ahead")], [table("equal")])
    assert found.is_worse
    assert str(found) == "Hidden text, left out, beside a peer: ahead → equal"
    assert not any(change.is_worse for change in changes([table("equal")], [table("ahead")]))
    assert changes([table("equal")], [table("equal")]) == []
    assert str(*changes([], [table("behind")])).endswith("no such row → behind")


def test_a_time_near_its_limit_keeps_its_verdict_and_one_far_from_it_does_not() -> None:
    def timed(theirs: float) -> Table:
        row = time_row("time", "a peer", [1.0] * 9, [theirs] * 9, "")
        return Table("speed", "Speed", "", (row,))

    assert [timed(theirs).rows[0].verdict for theirs in (1.3, 1.2, 0.82)] == ["ahead", "equal", "equal"]
    assert settled(timed(1.2), timed(1.3)).rows[0].verdict == "ahead"
    assert settled(timed(1.2), timed(1.3)).rows[0].relation.endswith("≈")
    assert settled(timed(1.3), timed(1.2)).rows[0].verdict == "equal"
    assert settled(timed(0.82), timed(1.3)).rows[0].verdict == "equal"
    assert settled(timed(1.2), None) == timed(1.2)


def test_a_chart_names_every_server_with_its_value() -> None:
    drawn = bars("Tokens", [("mcp-web 1", 10.0, "10"), ("a & b", 30.0, "30")], "mcp-web")
    assert "mcp-web 1" in drawn
    assert "a &amp; b" in drawn
    assert ">30<" in drawn


def test_a_small_race_delivers_passages_and_names_a_peer_that_is_not_there() -> None:
    pytest.importorskip("rs_bpe", reason="the tokenizer of the scorecard (rs-bpe) is not installed")
    whole = corpus.load()
    names = {"tide-museum", "lighthouse-museum", "northquay-waste", "tarnmouth-waste", "tarvolin-leaflet"}
    asked = [q for q in whole.questions if q.page in names][:4]
    asked.append(Question("none", "Which restaurant does the Tide Museum recommend for lunch?", None))
    small = Corpus(tuple(page for page in whole.pages if page.name in names), tuple(asked), whole.digest)
    gone = Installed("markitdown-mcp", "0", Path("nowhere"), "not installed: no network")
    makes = race.contestants(["mcp-web", "markitdown-mcp"])
    ours, peer = race.run(small, makes, {"markitdown-mcp": gone}, "0")
    assert ours.problem == ""
    assert sum(one.delivered for one in ours.cold) >= 3
    assert all(0 < one.tokens < 20_000 for one in ours.cold)
    assert not any(one.delivered for one in ours.cold if one.question == "none")
    assert "no network" in peer.problem
    table = race_table([ours, peer], whole.digest)
    assert table.absent == ("markitdown-mcp 0: not started: not installed: no network",)
    assert from_json(table.as_json()) == table


def test_what_our_tools_say_of_an_answer_is_understood() -> None:
    pytest.importorskip("rs_bpe", reason="the tokenizer of the scorecard (rs-bpe) is not installed")
    whole = corpus.load()
    known = next(question for question in whole.questions if question.page == "fjell-tent")
    with serving(whole) as web, running(race.contestants(["mcp-web"]), {}, web.hosts) as field:
        read = partial(field.servers["mcp-web"].session.call, "web_read", url=[web.addresses["fjell-tent"]])
        assert read_answers(read(query=known.text).text)
        assert not read_answers(read(query="Who discovered the moons of Jupiter?").text)


def test_tokens_are_counted_with_the_named_tokenizer() -> None:
    pytest.importorskip("rs_bpe", reason="the tokenizer of the scorecard (rs-bpe) is not installed")
    assert tokens.count("The quick brown fox") == 4


def test_questions_are_asked_in_an_order_that_does_not_depend_on_the_file() -> None:
    asked = [question.id for question in corpus.load().questions]
    assert in_order(asked, str) == in_order(asked[::-1], str)
    assert in_order(asked, str) != asked


def test_the_factor_of_three_is_missed_with_the_tool_list_of_every_question_and_says_why() -> None:
    def lap(server: str, listing: int, spent: int) -> Lap:
        outcomes = tuple(Outcome(str(at), True, True, True, spent + at, 1, 1.0, None, 0) for at in range(20))
        return Lap(server, "1", listing, outcomes, ())

    table = factor_table([lap("mcp-web", 3000, 1000), lap("a peer", 60, 4000)], lite_listing=100)
    verdicts = {row.measure: row for row in table.rows}
    assert verdicts["one session"].verdict == "ahead"
    assert verdicts["a session each"].verdict == "behind"
    assert "3,000 of our tokens are tools/list" in verdicts["a session each"].reason


def test_a_bomb_and_an_endless_body_end_in_an_outcome_and_the_next_page_is_read(tmp_path: Path) -> None:
    pytest.importorskip("rs_bpe", reason="the tokenizer of the scorecard (rs-bpe) is not installed")
    with hostile_site() as host:
        runner = Runner(race.contestants()["mcp-web"], Setting("http://127.0.0.1:9", (host,), {}, tmp_path))
        try:
            endings = [runner.run(host, case) for case in ("nested_a", "infinite_body", "redirect_self")]
        finally:
            runner.close()
    assert [one.outcome for one in endings] == ["answered", "clean error", "clean error"]
    assert all(0 < one.memory < 1000 for one in endings)


def test_the_end_of_a_server_ends_its_children() -> None:
    shell = subprocess.Popen(["sh", "-c", "sleep 60 & wait"])
    while len(processes.tree(shell.pid)) < 2:
        assert shell.poll() is None
    pids = processes.tree(shell.pid)
    processes.kill(shell.pid)
    shell.wait(10)
    assert len(pids) == 2
    assert processes.tree(shell.pid) == []
