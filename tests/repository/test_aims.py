"""The table of aims says what was measured; the model of more cores is the formula that it claims to be.

Nothing is measured here but the made-up web.
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from bench import aims, scaling, stages
from bench.aims import Line, table, wanted
from bench.madeup import EARLY, FAN, made_up, path_of
from bench.runs import RUNS
from bench.scaling import Costs
from bench.truth import Bed, Door


def row(run: str, pps: float, *, complete: bool = True) -> dict[str, object]:
    return {"run": run, "pps": pps, "complete": complete, "pages": 9, "truth": 10, "wall": 1.0, "cpu": 1.0}


def cells(rows: list[dict[str, object]], line: Line) -> list[str]:
    return [cell.strip() for cell in list(table(rows, [line]))[1].strip("|").split("|")]


AGAINST_PEER = Line("x", "some pages", "ours", 1.2, "theirs")


def test_a_line_holds_medians_and_their_ratio():
    rows = [row("ours", pps) for pps in (300, 100, 240)] + [row("theirs", pps) for pps in (200, 190, 210)]
    spread = ["**240** (100-300) pages/s", "**200** (190-210)", "1.20", "at least 1.2", "yes"]
    assert cells(rows, AGAINST_PEER) == ["some pages", "files", *spread]


def test_a_ratio_below_the_aim_is_not_reached():
    assert cells([row("ours", 239), row("theirs", 200)], AGAINST_PEER)[-1] == "**no**"


def test_a_run_that_leaves_out_pages_reaches_nothing():
    rows = [row("ours", 500), row("ours", 500, complete=False), row("theirs", 200)]
    assert "incomplete" in cells(rows, AGAINST_PEER)[-1]


def test_what_was_not_measured_is_said():
    assert cells([row("ours", 500)], AGAINST_PEER)[-1] == "not measured"
    assert (
        cells([{"run": "ours", "skipped": "no store"}, row("theirs", 1)], AGAINST_PEER)[-1] == "not measured"
    )


@pytest.mark.parametrize(("pps", "reached"), [(576, "yes"), (575, "**no**")])
def test_a_share_of_a_bound_is_held_against_the_aim(pps, reached):
    assert cells([row("ours", pps)], Line("x", "w", "ours", 0.9, bound=640))[-1] == reached


@pytest.mark.parametrize(("pps", "reached"), [(250, "yes"), (251, "**no**")])
def test_a_limit_is_not_to_be_passed(pps, reached):
    assert cells([row("ours", pps)], Line("x", "w", "ours", 250))[-1] == reached


def test_lines_are_made_of_runs_that_there_are():
    assert {run for line in aims.LINES for run in line.runs} == set(RUNS)
    assert [line.name for line in wanted(["tls", "wget"])] == ["wget", "tls"]
    with pytest.raises(SystemExit, match="no line nonsense"):
        wanted(["nonsense"])


def test_the_model_is_bound_by_its_narrowest_part():
    costs = Costs(start=0.5, daemon=100e-6, fetcher=400e-6, server=0.0)
    assert costs.rates(2, 8) == pytest.approx({"daemon": 10_000, "fetchers": 5000, "cores": 16_000})
    assert costs.wall(5000, 2, 8) == pytest.approx(1.5)
    assert costs.wall(5000, 31, 32) == pytest.approx(1.0)
    assert costs.wall(5000, 2, 1) == pytest.approx(3.0)
    assert costs.rates(0, 8)["one process"] == pytest.approx(2000)


def test_the_model_takes_its_costs_from_the_runs():
    rows: list[dict[str, object]] = [{"coordinator": 50.0, "round": 0}]
    for processes in scaling.PROCESSES:
        for limit, pages, cpu, fetchers, wall in ((1, 1, 0.4, 0.1, 0.5), (0, 1000, 1.4, 0.9, 1.5)):
            kept = {"processes": processes, "limit": limit, "server": 0.0, "wall": wall, "cpu": cpu}
            rows.append({**kept, "pages": pages, "cpu_of": {scaling.FETCHER: fetchers}})
    lines = list(scaling.told(rows))
    assert "| 2 | 0.50 | 200 | 800 | 0 | 1.50 |" in "\n".join(lines)
    assert "50 us a page, so 20,000 pages/s" in "\n".join(lines)
    assert lines[-1] == "\nThe daemon binds first from 16.0 fetchers on."


def test_the_cost_table_has_a_line_a_stage_and_a_gap_where_nothing_was_measured():
    lines = stages.table(
        {"before": {"parse: decode": 12.4}, "now": {"parse: decode": 8.0, "parse: all": 240}}
    )
    assert lines[0] == "| us of CPU a page | before | now |"
    assert "| parse: decode | 12 | 8 |" in lines
    assert "| parse: all | - | 240 |" in lines
    assert len(lines) == 2 + sum(len(program.figures) for program in stages.PROGRAMS)


def test_a_door_leads_to_the_same_files(tmp_path, monkeypatch):
    (tmp_path / "sites.py").write_text(
        'PORT = 8081\nFOLLOW = r"^http://127\\.0\\.[0-9.]+:8081/x$"\nWORKLOADS = {"w": ["127.0.3.1"]}\n'
        'def url(ip): return f"http://{ip}:8081/"\n'
    )
    (tmp_path / "mkpaths.py").write_text("def disk(work, url): return f'{work}/{url}'\n")
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "w.txt").write_text("http://127.0.3.1:8081/x\n")
    for name in ("sites", "mkpaths"):
        monkeypatch.setitem(sys.modules, name, None)  # forgotten again afterwards
        del sys.modules[name]
    bed = Bed(tmp_path, tmp_path, Door("https", 8443, 8091))
    assert bed.seeds("w") == ["https://127.0.3.1:8443/"]
    assert bed.follow == r"^https://127\.0\.[0-9.]+:8443/x$"
    assert bed.truth("w") == ["https://127.0.3.1:8443/x"]
    assert str(bed.file(bed.truth("w")[0])) == str(Path(f"{tmp_path}/http://127.0.3.1:8081/x"))


def test_the_made_up_web_counts_its_requests_and_has_all_its_pages():
    with made_up(pages=FAN + 2, latency=0.01) as web:
        pages = [urlopen(f"http://127.9.0.1:{web.port}{path_of(number)}").read() for number in range(FAN + 2)]
    linked = {line.split(b'"')[1] for page in pages for line in page.split(b"<a ")[1:]}
    assert linked == {path_of(number).encode() for number in range(FAN + 2)}
    assert len(set(pages)) == FAN + 2
    assert web.seen["requests"] == web.seen["connections"] == FAN + 2
    assert web.seen["latency"] >= 0.01 - EARLY
