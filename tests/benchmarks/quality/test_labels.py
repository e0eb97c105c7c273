"""Labels of days and weeks, and dates, as people write them in five languages."""

import datetime

import pytest

from benchmarks.quality.checks import schedule
from benchmarks.quality.goals import Goal, generate
from benchmarks.quality.labels import dates_in, label_of, labelled, stages
from benchmarks.quality.reading import plain, read


def _goal(language: str, unit: str = "day") -> Goal:
    return next(
        goal
        for seed in range(30_000, 32_000)
        if (goal := generate(seed, language)).unit == unit and goal.start is not None
    )


@pytest.mark.parametrize(
    ("language", "line", "first", "last"),
    [
        ("en", "## Day 3", 3, 3),
        ("en", "**Days 3–5: Kyoto**", 3, 5),
        ("en", "## Kyoto (days 4 to 6)", 4, 6),
        ("en", "- Day 2 - 9:00 departure", 2, 2),
        ("en", "- Day 2 - 16 May: Kyoto", 2, 2),
        ("en", "On the third day we rest.", 3, 3),
        ("en", "Day two is for the caves.", 2, 2),
        ("ms", "**Hari kedua**", 2, 2),
        ("ms", "- Hari ke-3: pantai", 3, 3),
        ("ms", "## Hari 3 hingga 5", 3, 5),
        ("hi", "### तीसरा दिन", 3, 3),
        ("hi", "- **दिन 3 से 5:** आराम", 3, 5),
        ("hi", "- दिन ३: आराम", 3, 3),
        ("ur", "## پہلا دن", 1, 1),
        ("ur", "- دن ۳ سے ۵: سیر", 3, 5),
        ("bn", "**৩য় দিন:** বিশ্রাম", 3, 3),
        ("bn", "- দিন ৩-৫: ভ্রমণ", 3, 5),
        ("bn", "## প্রথম দিন", 1, 1),
    ],
)
def test_labels_are_read(language: str, line: str, first: int, last: int) -> None:
    """A label is found whatever its form, digits and language."""
    goal = _goal(language)
    (read_line,) = read(line, goal).lines
    label = label_of(read_line, goal)
    assert label is not None
    assert (label.first, label.last) == (first, last)


@pytest.mark.parametrize("head", ["| Day | Where |", "| What | Where |"])
def test_rows_of_a_table_are_labelled(head: str) -> None:
    """A first cell says its day as "Day 4", or as "4" below "Day"."""
    goal = _goal("en")
    cell = "4" if "Day" in head else "Day 4"
    document = read(f"{head}\n|---|---|\n| {cell} | Kyoto |", goal)
    assert [label.first for _, label in labelled(document, goal)] == [4]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "- Stay 3 days at the lake."),
        ("en", "- On the day four friends help."),
        ("en", "- Drink two litres of water a day."),
        ("hi", "- उस दिन पांच दोस्त आएंगे।"),
        ("ur", "- اس دن سات دوست آئیں گے۔"),
    ],
)
def test_durations_are_no_labels(language: str, line: str) -> None:
    """A text such as "3 days" or "on the day four friends help" is about no day of the plan."""
    goal = _goal(language)
    (read_line,) = read(line, goal).lines
    assert label_of(read_line, goal) is None


@pytest.mark.parametrize(
    ("language", "text", "month", "first", "last"),
    [
        ("en", "14 May", 5, 14, 14),
        ("en", "May 14th", 5, 14, 14),
        ("en", "the 14th of May", 5, 14, 14),
        ("en", "14–16 May", 5, 14, 16),
        ("en", "14 May to 16 May", 5, 14, 16),
        ("en", "2027-05-14", 5, 14, 14),
        ("en", "14/05/2027", 5, 14, 14),
        ("ms", "14 hingga 16 Mei", 5, 14, 16),
        ("hi", "१४ मई", 5, 14, 14),
        ("ur", "۱۴ مئی", 5, 14, 14),
        ("bn", "১৪ই মে", 5, 14, 14),
    ],
)
def test_dates_are_read(language: str, text: str, month: int, first: int, last: int) -> None:
    """A date or range of dates is found whatever its form."""
    (found,) = dates_in(plain(text), _goal(language))
    assert found.first == datetime.date(2027, month, first)
    assert found.last == datetime.date(2027, month, last)


def test_a_heading_over_labelled_days_is_no_second_mention() -> None:
    """Under "Days 1-2", the lines "Day 1" and "Day 2" label each day once."""
    goal = _goal("en")
    text = "## Days 1-2: Kyoto\n\n- Day 1: temples\n- Day 2: gardens\n\n## Day 3\n\n- rest"
    found = [(label.first, label.last) for _, label in labelled(read(text, goal), goal)]
    assert found == [(1, 1), (2, 2), (3, 3)]


def test_costs_by_day_are_beside_the_plan() -> None:
    """A table of costs by day labels no day a second time."""
    goal = _goal("en")
    text = "## Day 1\n\n- go\n\n## Day 2\n\n- rest\n\n## Costs\n\n- Day 1: €10\n- Day 2: €12"
    found = [label.first for _, label in labelled(read(text, goal), goal)]
    assert found == [1, 2]


def test_a_part_s_heading_belongs_to_its_first_day() -> None:
    """The town in the heading of a part is where its first day takes place."""
    goal = _goal("en")
    text = "## Kyoto\n\n- Day 1: temples\n- more of them\n\n## Nara\n\n- Day 2: deer"
    assert [stage.text for stage in stages(read(text, goal), goal)] == [
        "kyoto\nday 1: temples\nmore of them",
        "nara\nday 2: deer",
    ]


def test_a_date_below_a_label_is_its_date_and_no_label() -> None:
    """Under "Day 2", a line "Date: ..." labels nothing; a wrong one breaks the dates alone."""
    goal = _goal("en")
    assert goal.start is not None
    dates = [goal.start + datetime.timedelta(days=days) for days in (0, 5)]
    text = "\n".join(
        f"## Day {day}\n- **Date**: {date.day} {date:%B}\n- Walk in the hills."
        for day, date in enumerate(dates, start=1)
    )
    document = read(text, goal)
    assert [label.first for _, label in labelled(document, goal)] == [1, 2]
    dated = next(one for one in schedule.check(document, goal) if one.check == "dates")
    assert dated.outcome == "broken"
    assert "day 2 is said to be" in dated.reason
