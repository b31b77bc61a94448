"""The wire: only well-formed, bounded messages come through, and every wait ends."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.worker.protocol import (
    DTYPES,
    LENGTH,
    MAX_FRAME,
    DeadlineExceeded,
    Output,
    ProtocolError,
    TensorHeader,
    decode,
    encode,
    receive,
    receive_before,
    receive_where,
    send,
)


@pytest.fixture
def streams():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def told(*lines: int) -> bytes:
    frames = [
        b'  File "/usr/lib/torch/nn.py", line 7 in _call\n',
        *(b'  File "/x/submission.py", line %d in f\n' % n for n in lines),
    ]
    return b"Current thread 0x00007f (most recent call first):\n" + b"".join(frames)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (told(14, 20), 14),
        (told(0), None),
        (told(10**9), None),
        (told(), None),
        (b"\xff\x00" * 9000 + told(14), None),
        (b'File "/x/submission.py", line 1', None),
        (b'File "/xxsubmission.py", line 14 in f', None),
    ],
    ids=["innermost", "zero", "huge", "elsewhere", "beyond the cap", "cut off", "another file"],
)
def test_where_a_worker_says_it_is_comes_from_a_frame_of_its_file_or_not_at_all(streams, text, line):
    ours, theirs = streams
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    theirs.sendall(text)
    theirs.close()
    assert receive_where(ours, "/x/submission.py") == line


def test_nobody_waits_for_a_worker_that_does_not_say_where_it_is(streams, monkeypatch):
    monkeypatch.setattr("grader.worker.protocol.WHERE_SECONDS", 0.01)
    ours, theirs = streams
    assert receive_where(ours, "/x/submission.py") is None
    theirs.sendall(b"x")
    assert receive_where(ours, "/x/submission.py") is None


def soon() -> float:
    return time.monotonic() + 5


def test_a_message_comes_back_as_it_was_sent(streams):
    ours, theirs = streams
    send(theirs, {"op": "call", "args": [1, None, "é"]})
    assert receive_before(ours, soon()) == {"op": "call", "args": [1, None, "é"]}
    send(theirs, {"a": 1})
    assert receive(ours) == {"a": 1}


def test_a_message_in_pieces_is_put_together(streams):
    ours, theirs = streams
    data = encode({"text": "x" * 5000})
    sender = threading.Thread(target=lambda: [theirs.sendall(data[i : i + 700]) for i in range(0, len(data), 700)])
    sender.start()
    assert receive_before(ours, soon()) == {"text": "x" * 5000}
    sender.join()


def test_silence_ends_at_the_deadline(streams):
    ours, _ = streams
    with pytest.raises(DeadlineExceeded):
        receive_before(ours, time.monotonic() + 0.05)


def test_half_a_message_ends_at_the_deadline(streams):
    ours, theirs = streams
    theirs.sendall(encode({"a": 1})[:-1])
    with pytest.raises(DeadlineExceeded):
        receive_before(ours, time.monotonic() + 0.05)


def test_a_closed_stream_is_told(streams):
    ours, theirs = streams
    theirs.close()
    with pytest.raises(ProtocolError) as error:
        receive_before(ours, soon())
    assert error.value.closed


@pytest.mark.parametrize("length", [MAX_FRAME + 1, 2**32 - 1])
def test_an_oversized_message_is_refused_before_it_is_read(streams, length):
    ours, theirs = streams
    theirs.sendall(LENGTH.pack(length))
    with pytest.raises(ProtocolError, match="size cap"):
        receive_before(ours, soon())


def test_encoding_refuses_an_oversized_message():
    with pytest.raises(ProtocolError):
        encode({"text": "x" * MAX_FRAME})


@pytest.mark.parametrize("body", [b"", b"[1]", b"3", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"])
def test_what_is_no_json_object_is_refused(body):
    with pytest.raises(ProtocolError):
        decode(body)


@given(st.binary(max_size=200))
def test_random_bytes_give_a_message_or_a_protocol_error(data):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ProtocolError):
            assert isinstance(receive_before(ours, soon()), dict)


def test_a_good_header_is_read():
    raw = {"dtype": "float32", "shape": [2, 3], "offset": 64, "device": "cpu"}
    header = TensorHeader.parse(raw, low=64, high=88)
    assert header.nbytes == 24
    assert header.shape == (2, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "object"},
        {"dtype": 3},
        {"shape": [2, -3]},
        {"shape": [2, 3.0]},
        {"shape": [True]},
        {"shape": [1] * 9},
        {"shape": "23"},
        {"shape": [1 << 39, 1 << 39]},
        {"shape": [3, 3]},  # one row too many for the region
        {"offset": 63},
        {"offset": -1},
        {"offset": 1 << 60},
        {"offset": None},
        {"device": 7},
        {"device": "x" * 100},
        {"extra": 1},
    ],
)
def test_an_impossible_header_is_refused(change):
    raw = {"dtype": "float32", "shape": [2, 3], "offset": 64, "device": "cpu"} | change
    with pytest.raises(ProtocolError):
        TensorHeader.parse(raw, low=64, high=88)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([*DTYPES, "cpu", "meta"]),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=6), children, max_size=4),
    max_leaves=8,
)


@given(
    json_values
    | st.fixed_dictionaries({"dtype": json_values, "shape": json_values, "offset": json_values, "device": json_values})
)
def test_random_headers_stay_inside_the_region(raw):
    try:
        header = TensorHeader.parse(raw, low=64, high=4096)
    except ProtocolError:
        return
    assert header.device == "meta" or 64 <= header.offset <= header.offset + header.nbytes <= 4096


def test_output_is_kept_up_to_its_cap():
    read_end, write_end = os.pipe()
    output = Output(read_end, cap=10)
    os.write(write_end, b"0123456")
    output.drain()
    os.write(write_end, b"789abc")
    output.drain()
    assert bytes(output.kept) == b"0123456789"
    assert output.truncated
    os.close(write_end)
    output.drain()
    assert not output.open
    os.close(read_end)
