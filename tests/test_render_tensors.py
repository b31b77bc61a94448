"""Tensors are shown as aligned numbers, with carets under the worst element, around which a large one is cut."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest

from grader.render import tensors
from grader.verdict import TensorView


def view(values: Any, dtype: str = "float64", **details: Any) -> TensorView:
    shape, inner = [], values
    while isinstance(inner, list):
        shape.append(len(inner))
        if not inner:
            break
        inner = inner[0]
    return TensorView("x", dtype, tuple(shape), values, **details)


def block(values: Any, width: int = 60, **details: Any) -> str:
    return tensors.block(view(values), width, **details).plain


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.0, "1"), (-2.0, "-2"), (0.5, "0.5"), (4 / 3, "1.333"), (0.0, "0"), (-0.0, "-0"), (2e-7, "2e-7"), (1e9, "1e9"),
        (123456.0, "1.235e5"), (math.nan, "nan"), (-math.inf, "-inf"), (True, "True"), (7, "7"), (12345678, "12345678"),
    ],
)  # fmt: skip
def test_numbers_are_short(value: Any, shown: str) -> None:
    assert tensors.number(value) == shown


@pytest.mark.parametrize(
    ("error", "shown"),
    [(0.2574, "0.26"), (3e-15, "3e-15"), (math.nan, "not finite"), (2.0, "2"), (632.4, "632"), (3.1e12, "3.1e12")],
)
def test_errors_need_two_digits(error: float, shown: str) -> None:
    assert tensors.size(error) == shown


def test_the_headline_names_what_is_unusual() -> None:
    assert tensors.headline(view([[1.0]])) == "float64 (1, 1)"
    odd = view([1.0], device="cuda", note="not contiguous")
    assert tensors.headline(odd) == "float64 (1,), cuda, not contiguous"


@pytest.mark.parametrize("values", [[1.0, -2.5], [[1.0, -2.5], [10.0, 3.0]], [], [[True, False]], [[1, 2, 3]]])
def test_a_small_tensor_can_be_pasted_into_python(values: Any) -> None:
    assert ast.literal_eval(block(values)) == values
    assert ast.literal_eval(tensors.one_line(view(values)) or "") == values


def test_a_scalar_is_a_number() -> None:
    assert block(1.5) == "1.5"
    assert block(1.5, worst=()) == "1.5\n^^^"


def test_columns_are_aligned_and_the_worst_element_has_carets() -> None:
    assert block([[1.0, -2.5], [10.0, 3.0]], worst=(0, 1)) == "[[   1, -2.5],\n        ^^^^\n [  10,    3]]"
    assert block([1.0, 22.0, 3.0], worst=(1,)) == "[ 1, 22,  3]\n     ^^"


def test_a_tensor_of_three_dimensions_is_shown_matrix_by_matrix() -> None:
    assert block([[[1.0]], [[2.0]]], worst=(1, 0, 0)) == "[0]:\n[[1]]\n[1]:\n[[2]]\n  ^"


def test_a_long_tensor_is_cut_around_the_worst_element() -> None:
    text = block([[float(row)] for row in range(64)], worst=(50, 0))
    assert "[50]" in text
    assert text.count("…") == 2
    assert len(text.splitlines()) <= tensors.MOST_ROWS + 3


def test_a_wide_tensor_is_cut_around_the_worst_element() -> None:
    text = block([[float(column) + 0.25 for column in range(64)]], worst=(0, 40), width=50)
    first, carets = text.splitlines()
    assert first[carets.index("^") : carets.rindex("^") + 1] == "40.25"
    assert len(first) <= 50
    assert first.count("…") == 2


def test_many_matrices_are_cut_around_the_worst_element() -> None:
    text = block([[[float(number)]] for number in range(20)], worst=(15, 0, 0))
    assert "[15]:" in text
    assert "[16]:" not in text


def test_a_tensor_without_values_says_so() -> None:
    assert tensors.block(TensorView("x", "float32", (100, 100)), 60).plain == "too large to print"
    assert tensors.one_line(TensorView("x", "float32", (100, 100))) is None


def test_an_index_that_does_not_fit_marks_nothing() -> None:
    assert "^" not in block([[1.0]], worst=(0,))


@pytest.mark.parametrize(("got", "digits"), [(2.0, 4), (1.00004, 6), (1.0000002, 9), (1.0 + 2**-50, 17), (1.0, 4)])
def test_as_many_digits_as_tell_expected_from_got(got: float, digits: int) -> None:
    assert tensors.digits_to_tell_apart(view([1.0]), view([got]), (0,)) == digits


def test_shapes_that_differ_are_no_trouble() -> None:
    assert tensors.digits_to_tell_apart(view([1.0]), view([[1.0]]), (0,)) == 4
    assert tensors.element(view([1.0]), (3,)) is None
