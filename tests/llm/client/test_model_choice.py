"""Which model is used when nobody named one: the rules, and examples of real names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.client.model_choice import (
    Candidate,
    Choice,
    choose,
    fits,
    parameters_in,
    parameters_of,
    purpose_of,
    too_slow,
)
from swarm.llm.machine import Machine

GB = 1_000_000_000
LAPTOP = Machine(free_bytes=12 * GB, cores=8)
SMALL = Machine(free_bytes=6 * GB, cores=2)

NAMES = (
    "qwen2.5:7b",
    "llama3.2:3b",
    "qwen2.5-coder:7b",
    "llava:13b",
    "nomic-embed-text:latest",
    "deepseek-r1:8b",
    "smollm2:135m",
    "llama2:7b-text",
    "gpt-oss:120b-cloud",
    "my-model",
)
candidates = st.lists(
    st.builds(
        Candidate,
        name=st.sampled_from(NAMES) | st.text(min_size=1, max_size=12),
        size_bytes=st.just(0) | st.integers(0, 80 * GB),
        parameters=st.just(0) | st.integers(0, 100 * GB),
        families=st.lists(st.sampled_from(["llama", "clip", "bert", ""]), max_size=2).map(tuple),
        loaded=st.booleans(),
        chats=st.sampled_from([True, True, True, False]),
        elsewhere=st.sampled_from([False, False, False, True]),
    ),
    max_size=8,
    unique_by=lambda one: one.name,
)
machines = st.builds(
    Machine,
    free_bytes=st.just(0) | st.integers(1, 100 * GB),
    cores=st.integers(0, 64),
    accelerated=st.booleans(),
)


def chosen(machine: Machine, *names: str) -> str:
    """The choice between models of which only the names are known."""
    choice = choose([Candidate(name=name) for name in names], machine)
    return choice.name if choice is not None else ""


@given(candidates, machines)
def test_a_choice_is_one_of_the_models_that_can_chat(
    models: list[Candidate], machine: Machine
) -> None:
    """It is None exactly if there is none, and it names only models of the server."""
    choice = choose(models, machine)
    usable = {one.name for one in models if purpose_of(one) != "none"}
    if choice is None:
        assert not usable
    else:
        assert choice.name in usable
        assert {choice.name, *choice.others} <= usable
        assert choice.name not in choice.others


@given(candidates, machines)
def test_a_choice_fits_whenever_anything_fits(models: list[Candidate], machine: Machine) -> None:
    """Only if nothing fits one is chosen that does not, and then the choice says so."""
    usable = [one for one in models if purpose_of(one) != "none"]
    choice = choose(models, machine)
    if choice is not None:
        best = next(one for one in models if one.name == choice.name)
        assert choice.fits == any(fits(one, machine) for one in usable)
        assert choice.fits == fits(best, machine)


@given(candidates, machines)
def test_no_better_model_of_the_same_purpose_is_passed_over(
    models: list[Candidate], machine: Machine
) -> None:
    """Among models that fit, are fast enough and of the same purpose, the largest is chosen."""
    choice = choose(models, machine)
    if choice is None or not choice.fits or not machine.free_bytes:
        return
    best = next(one for one in models if one.name == choice.name)
    usable = [one for one in models if purpose_of(one) != "none"]
    rivals = [one for one in usable if fits(one, machine) and not too_slow(one, machine)]
    if rivals:
        assert not too_slow(best, machine)
    for one in rivals:
        # A model of unknown size comes before one that is known to be tiny.
        if purpose_of(one) == purpose_of(best) and parameters_of(best):
            assert parameters_of(one) <= parameters_of(best)


@given(candidates, machines, st.integers(1, 50 * GB))
def test_more_memory_never_makes_the_choice_smaller(
    models: list[Candidate], machine: Machine, more: int
) -> None:
    """Of general models only, the choice grows with the memory, or stays."""
    general = [one for one in models if purpose_of(one) == "general"]
    if not machine.free_bytes:
        return
    roomier = Machine(free_bytes=machine.free_bytes + more, accelerated=True)
    sizes = []
    for where in (Machine(free_bytes=machine.free_bytes, accelerated=True), roomier):
        choice = choose(general, where)
        if choice is None or not choice.fits:
            return
        sizes.append(next(parameters_of(one) for one in general if one.name == choice.name))
    assert sizes[0] <= sizes[1]


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("qwen2.5:7b", "general"),
        ("llama3.1:8b-instruct-q4_K_M", "general"),
        ("gemma3:4b", "general"),
        ("hf.co/bartowski/Mistral-7B-Instruct-v0.3-GGUF:Q4_K_M", "general"),
        ("lmstudio-community/Phi-4-GGUF", "general"),
        ("gpt-oss:20b", "general"),
        ("qwen2.5-coder:7b", "code"),
        ("codellama:13b-instruct", "code"),
        ("devstral:24b", "code"),
        ("qwen2.5vl:7b", "pictures"),
        ("Qwen2-VL-7B-Instruct", "pictures"),
        ("llama3.2-vision:11b", "pictures"),
        ("llava:7b", "pictures"),
        ("deepseek-r1:8b", "reasoning"),
        ("qwq:32b", "reasoning"),
        ("Qwen3-4B-Thinking-2507", "reasoning"),
        ("llama2:7b-text", "base"),
        ("Qwen2.5-7B-base", "base"),
        ("nomic-embed-text", "none"),
        ("text-embedding-nomic-embed-text-v1.5", "none"),
        ("bge-m3:latest", "none"),
        ("llama-guard3:8b", "none"),
        ("whisper-1", "none"),
        ("qwen3-coder:480b-cloud", "none"),
        ("deepseek-v3.1:671b-cloud", "none"),
    ],
)
def test_the_purpose_is_read_from_real_names(name: str, purpose: str) -> None:
    """As Ollama, LM Studio and Hugging Face write them."""
    assert purpose_of(Candidate(name=name)) == purpose


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("qwen2.5:7b", 7e9),
        ("7.6B", 7.6e9),
        ("135M", 135e6),
        ("mixtral:8x7b", 56e9),
        ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", 8e9),
        ("gemma3n:e4b", 0),
        ("mistral", 0),
        ("1e400B", 0),
        ("9" * 400 + "b", 0),
    ],
)
def test_the_number_of_parameters_is_read_from_texts(text: str, count: float) -> None:
    """As in names and in Ollama's details; other texts have none, and none raises an error."""
    assert parameters_in(text) == count


def test_the_largest_general_model_that_fits_is_chosen() -> None:
    """Neither a larger one for code, nor one that does not fit, nor the newest."""
    have = ("qwen2.5-coder:14b", "llama3.2:3b", "qwen2.5:7b", "llama3.3:70b", "nomic-embed-text")
    assert chosen(LAPTOP, *have) == "qwen2.5:7b"


def test_without_a_graphics_processor_cores_bound_the_size() -> None:
    """On two cores a model of eight billion parameters fits, but would answer too late."""
    roomy = Machine(free_bytes=64 * GB, cores=2)
    assert chosen(roomy, "llama3.1:8b", "llama3.2:3b") == "llama3.2:3b"
    fast = Machine(free_bytes=64 * GB, cores=2, accelerated=True)
    assert chosen(fast, "llama3.1:8b", "llama3.2:3b") == "llama3.1:8b"


def test_a_model_for_code_is_taken_where_there_is_no_general_one() -> None:
    """Or only one that is too small to plan."""
    assert chosen(SMALL, "qwen2.5-coder:3b", "nomic-embed-text") == "qwen2.5-coder:3b"
    assert chosen(SMALL, "smollm2:135m", "qwen2.5-coder:3b") == "qwen2.5-coder:3b"


def test_a_model_in_memory_fits() -> None:
    """Its memory is not free because the model itself has it."""
    models = [Candidate(name="a:7b", loaded=True), Candidate(name="b:1b")]
    choice = choose(models, Machine(free_bytes=4 * GB, cores=8))
    assert choice is not None
    assert choice.name == "a:7b"


def test_on_another_machine_the_loaded_model_or_the_first_is_taken() -> None:
    """Nobody knows here what it carries."""
    models = [Candidate(name="new:70b"), Candidate(name="old:7b", loaded=True)]
    assert choose(models, Machine()) == Choice(
        name="old:7b",
        fits=True,
        why="the model that is loaded there (7 billion parameters)",
        others=("new:70b",),
    )
    assert chosen(Machine(), "new:70b", "old:7b") == "new:70b"


def test_a_choice_says_why() -> None:
    """With the figures that decided."""
    models = [Candidate(name="qwen2.5:7b", size_bytes=4_700_000_000), Candidate(name="tiny:1b")]
    choice = choose(models, LAPTOP)
    assert choice is not None
    assert choice.why == (
        "the largest of its 2 models that can chat "
        "(7 billion parameters, 4.7 GB of weights, 12.0 GB of memory are free)"
    )
    choice = choose([Candidate(name="a:70b"), Candidate(name="b:34b")], SMALL)
    assert choice is not None
    assert not choice.fits
    assert choice.why.startswith("the smallest, although it needs 26.0 GB of memory")
