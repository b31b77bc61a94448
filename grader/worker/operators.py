"""The aten operators that a replay may run, overload by overload, and for each how many elements it can make.

A kata's whole answer comes from these: arithmetic, reductions, products of matrices, moving and picking of numbers. Not on the
list: layers and fused operators (normalisation, attention, convolution), random numbers, anything that writes to the outside,
calls back into Python or makes a tensor whose size no arithmetic on the arguments bounds. What is missing here costs an
audit, never a verdict. Trusted side; runs in the replay's process, and the examiner reads the names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

Arguments = tuple[Any, ...]
Bound = Callable[[Arguments, dict[str, Any]], int]

# No overload that writes into a tensor given for the result, for it might have to grow.
_OVERLOADS = (
    *("default", "Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor", "Tensor_Tensor", "Tensor_mode", "Scalar_mode"),
    *("self", "other", "ScalarSelf", "ScalarOther", "Scalar_Self", "Scalar_Other", "int", "dim", "dims", "dim_IntList"),
    *(
        "dim_int",
        "correction",
        "ScalarOpt_dim",
        "ScalarOpt_dtype",
        "ScalarOpt_dim_dtype",
        "stable",
        "start",
        "start_step",
    ),
    *("m", "src", "value", "reduce", "value_reduce", "two", "decimals", "sizes", "intlist", "int_Tensor", "int_Scalar"),
    *("memory_format", "msg", "step"),
)

_POINTWISE = """
    abs neg sign sgn exp exp2 expm1 log log1p log2 log10 sqrt rsqrt reciprocal square sin cos tan asin acos atan atan2
    sinh cosh tanh sigmoid erf erfc lgamma digamma logit floor ceil round trunc frac add sub rsub mul div true_divide
    remainder fmod pow floor_divide maximum minimum fmax fmin clamp clamp_min clamp_max where eq ne lt le gt ge
    logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not isnan isinf isfinite
    isposinf isneginf nan_to_num relu relu6 elu selu celu gelu silu mish leaky_relu softplus hardtanh hardsigmoid
    hardswish threshold hypot addcmul addcdiv lerp masked_fill copysign heaviside xlogy logaddexp logaddexp2 sinc
    signbit fill zero copy polygamma special_xlog1py special_erfcx special_log_ndtr log_sigmoid_forward
    threshold_backward elu_backward gelu_backward silu_backward mish_backward sigmoid_backward tanh_backward
    leaky_relu_backward softplus_backward hardtanh_backward hardsigmoid_backward hardswish_backward logit_backward
    log_sigmoid_backward _softmax_backward_data _log_softmax_backward_data clone _to_copy lift_fresh lift_fresh_copy
    contiguous tril triu cumsum cumprod logcumsumexp flip roll sort argsort _softmax _log_softmax rot90 masked_scatter
    masked_scatter_backward pixel_shuffle zeros_like ones_like full_like empty_like
"""
_REDUCTIONS = """
    sum mean prod nansum amax amin aminmax max min argmax argmin var std var_mean std_mean norm linalg_vector_norm logsumexp all
    any count_nonzero dot vdot trace topk kthvalue median cummax cummin masked_select equal _local_scalar_dense
    _is_all_true _is_any_true _assert_async
"""
_VIEWS = """
    view _unsafe_view _reshape_alias expand expand_as permute transpose t select slice narrow squeeze unsqueeze unbind
    split split_with_sizes chunk diagonal unfold as_strided alias detach swapaxes swapdims movedim view_as
"""
_PRODUCTS = "mm bmm mv addmm baddbmm addbmm addmv addr outer ger matmul linear"
_SIZED = """
    zeros ones full empty scalar_tensor new_zeros new_ones new_full new_empty select_backward slice_backward diagonal_backward
    unfold_backward empty_strided new_empty_strided
"""
_JOINING = "cat stack hstack vstack concat block_diag"
_PLACING = """
    index_put _index_put_impl scatter scatter_add scatter_reduce index_add index_copy index_fill select_scatter
    slice_scatter diagonal_scatter put
"""


def bound_elements(name: str, args: Arguments, kwargs: dict[str, Any]) -> int:
    """At most how many elements the operator can make or go through, given its arguments; KeyError for an unlisted one."""
    return OPERATORS[name](args, kwargs)


def _broadcast(args: Arguments, kwargs: dict[str, Any]) -> int:
    shapes = [t.shape for t in _tensors((args, kwargs))]
    size = 1
    for position in range(1, 1 + max(map(len, shapes), default=0)):
        size *= max(shape[-position] for shape in shapes if len(shape) >= position)
    return size


def _total(args: Arguments, kwargs: dict[str, Any]) -> int:
    return sum(t.numel() for t in _tensors((args, kwargs)))


def _view(args: Arguments, kwargs: dict[str, Any]) -> int:
    return 0


def _product(args: Arguments, kwargs: dict[str, Any]) -> int:
    """Every element of the left factor meets every column of the right one: work and result are both below it."""
    tensors = list(_tensors((args, kwargs)))
    columns = (
        max(tensors[-1].shape, default=1) if len(tensors) < 3 else max(max(t.shape, default=1) for t in tensors[-2:])
    )
    return _total(args, kwargs) * columns


def _sized(args: Arguments, kwargs: dict[str, Any]) -> int:
    """The product of every list of integers among the arguments, and the largest plain integer."""
    size = max(1, _total(args, kwargs))
    for value in (*args, *kwargs.values()):
        if isinstance(value, (list, tuple)) and all(isinstance(n, int) for n in value):
            size *= math.prod(max(1, abs(n)) for n in value)
        elif isinstance(value, int) and not isinstance(value, bool):
            size *= max(1, abs(value))
    return size


def _sized_list(args: Arguments, kwargs: dict[str, Any]) -> int:
    """Where plain integers are values or positions, not sizes."""
    lists = tuple(v for v in (*args, *kwargs.values()) if isinstance(v, (list, tuple)))
    return max(_sized(lists, {}), _total(args, kwargs))


def _range(args: Arguments, kwargs: dict[str, Any]) -> int:
    start, end, step = {1: (0, *args, 1), 2: (*args, 1)}.get(len(args), args[:3])
    length = abs(end - start) / abs(step) if step else math.inf
    return int(length) + 1 if math.isfinite(length) else 1 << 62


def _repeat(args: Arguments, kwargs: dict[str, Any]) -> int:
    return int(args[0].numel() * math.prod(max(1, abs(n)) for n in args[1]))


def _pad(args: Arguments, kwargs: dict[str, Any]) -> int:
    tensor, pads = args[:2]
    return int(math.prod(n + sum(abs(p) for p in pads) for n in tensor.shape))


def _pick(args: Arguments, kwargs: dict[str, Any]) -> int:
    """Indices broadcast against each other; each of their elements picks at most a whole tensor, less one dimension."""
    tensor, indices = args[0], list(_tensors((args[1:], kwargs)))
    if not indices:
        return int(tensor.numel())
    return int(_broadcast(tuple(indices), {}) * max(1, tensor.numel()) // max(1, min(tensor.shape, default=1)))


def _gather(args: Arguments, kwargs: dict[str, Any]) -> int:
    return max((t.numel() for t in _tensors((args, kwargs))), default=0)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _listed(names: str, bound: Bound) -> dict[str, Bound]:
    """Every overload of _OVERLOADS, of the operator and of its in-place form, which has one underscore more."""
    forms = [form for name in names.split() for form in (name, f"{name}_")]
    return {f"aten::{form}.{overload}": bound for form in forms for overload in _OVERLOADS}


OPERATORS: dict[str, Bound] = {
    **_listed(_POINTWISE, _broadcast),
    **_listed(_REDUCTIONS, _total),
    **_listed(_VIEWS, _view),
    **_listed(_PRODUCTS, _product),
    **_listed(_SIZED, _sized_list),
    **_listed("linspace tril_indices triu_indices embedding_dense_backward", _sized),
    **_listed("nonzero", lambda args, kwargs: _total(args, kwargs) * args[0].dim()),
    **_listed("eye", lambda args, kwargs: _sized(args, kwargs) ** 2),
    **_listed(_JOINING, _total),
    **_listed(_PLACING, lambda args, kwargs: max(_broadcast(args, kwargs), _total(args, kwargs))),
    **_listed("arange range", _range),
    **_listed("repeat", _repeat),
    **_listed("constant_pad_nd", _pad),
    **_listed("index index_select embedding take", _pick),
    **_listed("gather take_along_dim", _gather),
}
