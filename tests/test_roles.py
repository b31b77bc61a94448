"""A module's parameters are found by what they are, under every accepted name."""

from __future__ import annotations

import itertools

import pytest
import torch

from grader.case import FoundParameter
from grader.failure import RoleError
from grader.roles import ATTENTION_NAMES, OUTPUT_NAMES, attention_projections, by_starting_values

D = 4
WANTED = {
    f"{role}.{part}": torch.zeros((D, D) if part == "weight" else (D,))
    for role in ("q_proj", "k_proj", "v_proj", "out_proj")
    for part in ("weight", "bias")
}


def linear(name: str, rows: int = D) -> list[FoundParameter]:
    return [
        FoundParameter(f"{name}.weight", torch.randn(rows, D), True),
        FoundParameter(f"{name}.bias", torch.randn(rows), True),
    ]


@pytest.mark.parametrize(("names", "output"), [*itertools.product(ATTENTION_NAMES, OUTPUT_NAMES)])
def test_any_accepted_input_name_goes_with_any_accepted_output_name(names, output):
    found = [p for name in (*names[:3], output) for p in linear(name)]
    placements = attention_projections(found, WANTED)
    assert placements["q_proj.weight"].parameter == f"{names[0]}.weight"
    assert placements["v_proj.bias"].parameter == f"{names[2]}.bias"
    assert placements["out_proj.weight"].parameter == f"{output}.weight"


@pytest.mark.parametrize("output", OUTPUT_NAMES)
def test_a_fused_projection_has_rows_in_q_k_v_order(output):
    placements = attention_projections([*linear("qkv", 3 * D), *linear(output)], WANTED)
    place = placements["k_proj.weight"]
    assert (place.parameter, place.start, place.stop) == ("qkv.weight", D, 2 * D)


def test_further_parameters_and_any_order_are_no_fault():
    found = [FoundParameter("temperature", torch.ones(1), True)]
    found += [p for name in ("out_proj", "v_proj", "k_proj", "q_proj", "extra") for p in linear(name)]
    assert len(attention_projections(found, WANTED)) == 8


@pytest.mark.parametrize(
    "found",
    [
        [],
        [p for n in ("query_layer", "key_layer", "value_layer", "out") for p in linear(n)],
        [p for n in ("q_proj", "k_proj", "v_proj") for p in linear(n)],
        [p for n in ("q_proj", "k_proj", "v_proj", "out_proj") for p in linear(n)[:1]],  # no bias
        [*linear("qkv", 2 * D), *linear("out_proj")],
    ],
    ids=["none", "other-names", "no-output", "no-bias", "wrong-rows"],
)
def test_no_match_lists_what_was_found_and_what_is_wanted(found):
    with pytest.raises(RoleError) as error:
        attention_projections(found, WANTED)
    assert "q_proj, k_proj, v_proj, out_proj" in str(error.value)
    assert (found[0].name if found else "none") in str(error.value)


LAYER_NORM = {"weight": torch.ones(3), "bias": torch.zeros(3)}
find = by_starting_values(weight=1.0, bias=0.0)


def parameter(name: str, value: torch.Tensor) -> FoundParameter:
    return FoundParameter(name, value, True)


def test_roles_are_told_by_starting_values_whatever_the_names():
    found = [parameter("beta", torch.zeros(3)), parameter("gamma", torch.ones(3)), parameter("scale", torch.ones(()))]
    placements = find(found, LAYER_NORM)
    assert (placements["weight"].parameter, placements["bias"].parameter) == ("gamma", "beta")


@pytest.mark.parametrize(
    "found",
    [
        [],
        [parameter("a", torch.ones(3))],
        [parameter("a", torch.ones(3)), parameter("b", torch.ones(3))],
        [parameter("a", torch.randn(3)), parameter("b", torch.zeros(3))],
        [parameter("a", torch.ones(1, 3)), parameter("b", torch.zeros(1, 3))],
    ],
    ids=["none", "one", "both-ones", "random", "other-shape"],
)
def test_other_starting_values_are_told(found):
    with pytest.raises(RoleError, match="registered parameter"):
        find(found, LAYER_NORM)
