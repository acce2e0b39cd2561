"""Messages: what goes in comes out, in pieces of any size, and nothing damaged gets through."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from freshtake.bridge.messages import (
    DTYPES,
    HEAD,
    KINDS,
    MARK,
    VERSION,
    Decoder,
    Message,
    MessageError,
    decoded,
    encoded,
)

texts = st.text(st.characters(codec="utf-8"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: stn.arrays(np.dtype(dtype), stn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
)
messages = st.builds(
    Message, st.sampled_from(KINDS), st.integers(0, 2**53 - 1), st.dictionaries(texts, values, max_size=3),
    st.dictionaries(texts, arrays, max_size=3),
)  # fmt: skip


def same(one: Message, other: Message) -> bool:
    return one[:3] == other[:3] and one.arrays.keys() == other.arrays.keys() and all(
        array.dtype == other.arrays[name].dtype
        and array.shape == other.arrays[name].shape
        and array.tobytes() == other.arrays[name].tobytes()
        for name, array in one.arrays.items()
    )  # fmt: skip


@given(st.lists(messages, max_size=3), st.integers(1, 200))
@settings(max_examples=60, deadline=None)
def test_messages_come_out_as_they_went_in_whatever_the_pieces(sent: list[Message], size: int) -> None:
    stream = b"".join(map(encoded, sent))
    decoder = Decoder()
    pieces = [stream[k : k + size] for k in range(0, len(stream), size)]
    got = [message for piece in pieces for message in decoder.feed(piece)]
    decoder.end()
    assert len(got) == len(sent)
    assert all(map(same, got, sent))


@given(messages, st.data())
@settings(max_examples=80, deadline=None)
def test_no_damaged_byte_gets_through(message: Message, data: st.DataObject) -> None:
    whole = bytearray(encoded(message))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    decoder = Decoder()
    with pytest.raises(MessageError) as caught:
        list(decoder.feed(bytes(whole)))
        decoder.end()
    assert "\n" not in str(caught.value)


@given(messages, st.data())
@settings(max_examples=50, deadline=None)
def test_a_stream_that_stops_inside_a_message_is_noticed(message: Message, data: st.DataObject) -> None:
    whole = encoded(message)
    decoder = Decoder()
    assert list(decoder.feed(whole[: data.draw(st.integers(1, len(whole) - 1))])) == []
    with pytest.raises(MessageError, match="in the middle of a message"):
        decoder.end()


@given(st.binary(min_size=1, max_size=300))
@settings(max_examples=50, deadline=None)
def test_anything_else_is_refused_in_one_sentence(noise: bytes) -> None:
    decoder = Decoder()
    with pytest.raises(MessageError) as caught:
        list(decoder.feed(noise))
        decoder.end()
    assert "\n" not in str(caught.value)


def packed(values: Any, data: bytes = b"", version: int = VERSION) -> bytes:
    """A message with a correct checksum, whatever its content."""
    import zlib

    text = values if isinstance(values, bytes) else json.dumps(values).encode()
    return HEAD.pack(MARK, version, len(text), len(data), zlib.crc32(text + data)) + text + data


GOOD = {"kind": "result", "number": 1, "values": {}, "arrays": []}


@pytest.mark.parametrize(
    "values, data, sentence",
    [
        (b"{", b"", "not JSON"),
        (b'{"kind": NaN}', b"", "not JSON"),
        (b"[" * 100_000, b"", "not JSON"),
        ([], b"", "missing or of a wrong type"),
        ({**GOOD, "number": True}, b"", "missing or of a wrong type"),
        ({**GOOD, "number": -1}, b"", "or an invalid number"),
        ({**GOOD, "kind": "order"}, b"", "unknown kind, 'order'"),
        ({**GOOD, "arrays": [["a", "<f8", [2]]]}, b"12345678", "longer than the bytes"),
        ({**GOOD, "arrays": [["a", "|u1", [1]], ["a", "|u1", [1]]]}, b"12", "listed twice"),
        ({**GOOD, "arrays": [["a", "|O", [1]]]}, b"12345678", "a known type"),
        ({**GOOD, "arrays": [["a", "|u1", [-1]]]}, b"", "and a shape"),
        ({**GOOD, "arrays": [["a", "|u1", [2**31, 2**31, 2**31]]]}, b"", "longer than the bytes"),
        (GOOD, b"1", "belong to none"),
    ],
)
def test_well_formed_nonsense_is_refused(values: Any, data: bytes, sentence: str) -> None:
    with pytest.raises(MessageError, match=sentence):
        decoded(packed(values, data))


def test_another_version_is_refused_with_the_remedy() -> None:
    with pytest.raises(MessageError, match=r"version 7 .* version 1: reinstall the extension"):
        decoded(packed(GOOD, version=7))
    with pytest.raises(MessageError, match="version 7"):
        list(Decoder().feed(HEAD.pack(MARK, 7, 0, 0, 0)))


def test_a_length_that_no_message_has_is_refused_before_anything_is_kept() -> None:
    with pytest.raises(MessageError, match="more than is accepted"):
        list(Decoder().feed(HEAD.pack(MARK, VERSION, 10, 1 << 40, 0)))


@pytest.mark.parametrize("bad", [{"x": float("nan")}, {"x": object()}, {"x": np.float32(1)}])
def test_what_json_does_not_have_is_refused_before_it_is_sent(bad: dict[str, Any]) -> None:
    with pytest.raises(MessageError, match="JSON"):
        encoded(Message("result", 1, bad))


def test_arrays_of_objects_are_not_sent() -> None:
    with pytest.raises(MessageError, match="'a' is of type object"):
        encoded(Message("result", 1, {}, {"a": np.array([object()])}))
