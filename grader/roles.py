"""Finding out which of a module's parameters plays which role, so that a candidate may name them freely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from grader.case import FoundParameter, Placement, RoleFinder
from grader.failure import RoleError


def by_starting_values(**values: float) -> RoleFinder:
    """Roles told apart by the constant that each parameter starts at: `by_starting_values(weight=1.0, bias=0.0)`.

    Raises RoleError unless exactly one registered parameter of the role's shape starts at its constant.
    """

    def find(found: Sequence[FoundParameter], wanted: Mapping[str, Tensor]) -> dict[str, Placement]:
        placements = {}
        for role, start in values.items():
            shape = wanted[role].shape
            matching = [p for p in found if p.value.shape == shape and bool((p.value == start).all())]
            if len(matching) != 1:
                raise RoleError(
                    f"expected one registered parameter of shape {tuple(shape)} that starts at {start:g} (the {role}), "
                    f"found {len(matching)}; registered parameters: {_listing(found)}",
                    missing=(role,) if not matching else (),
                )
            placements[role] = Placement(matching[0].name)
        return placements

    return find


# Accepted names of the four projections of attention, besides one fused `qkv`.
ATTENTION_NAMES = (
    ("q_proj", "k_proj", "v_proj", "out_proj"),
    ("w_q", "w_k", "w_v", "w_o"),
    ("W_q", "W_k", "W_v", "W_o"),
    ("wq", "wk", "wv", "wo"),
    ("q_linear", "k_linear", "v_linear", "out_linear"),
    ("query", "key", "value", "out"),
)
OUTPUT_NAMES = (*(names[3] for names in ATTENTION_NAMES), "proj", "o_proj", "fc_out", "output")


def attention_projections(found: Sequence[FoundParameter], wanted: Mapping[str, Tensor]) -> dict[str, Placement]:
    """Roles `q_proj.weight` … `out_proj.bias` by accepted names or a fused `qkv` (rows in q, k, v order).

    Any accepted input name goes with any accepted output name; further parameters are no fault. Raises RoleError with the
    names found and the names wanted.
    """
    by_name = {p.name: p for p in found}
    d_model = wanted["q_proj.weight"].shape[0]
    output = next((n for n in OUTPUT_NAMES if _is_linear(by_name, n, (d_model, d_model))), None)
    inputs = next(
        (names for names in ATTENTION_NAMES if all(_is_linear(by_name, n, (d_model, d_model)) for n in names[:3])), None
    )
    placements: dict[str, Placement] = {}
    if inputs is not None:
        for role, name in zip(("q_proj", "k_proj", "v_proj"), inputs[:3], strict=True):
            placements |= {f"{role}.{part}": Placement(f"{name}.{part}") for part in ("weight", "bias")}
    elif _is_linear(by_name, "qkv", (3 * d_model, d_model)):
        for i, role in enumerate(("q_proj", "k_proj", "v_proj")):
            rows = (i * d_model, (i + 1) * d_model)
            placements |= {f"{role}.{part}": Placement(f"qkv.{part}", *rows) for part in ("weight", "bias")}
    if output is None or not placements:
        raise RoleError(
            f"the four projections were not found. Registered parameters: {_listing(found)}. Wanted: four "
            f"nn.Linear({d_model}, {d_model}) with weight and bias, named q_proj, k_proj, v_proj, out_proj (or w_q…w_o, "
            f"W_q…W_o, wq…wo, q_linear…out_linear, query/key/value/out; or one fused qkv of {3 * d_model} rows; the last "
            f"one may also be proj, o_proj, fc_out or output)",
            missing=(*([] if placements else ["inputs"]), *([] if output else ["output"])),
        )
    placements |= {f"out_proj.{part}": Placement(f"{output}.{part}") for part in ("weight", "bias")}
    return placements


def _is_linear(by_name: Mapping[str, FoundParameter], name: str, shape: tuple[int, int]) -> bool:
    weight, bias = by_name.get(f"{name}.weight"), by_name.get(f"{name}.bias")
    return weight is not None and bias is not None and weight.value.shape == shape and bias.value.shape == shape[:1]


def _listing(found: Sequence[FoundParameter]) -> str:
    shown = [f"{p.name} {tuple(p.value.shape)}" for p in found[:12]]
    return ", ".join(shown + (["…"] if len(found) > 12 else [])) or "none"
