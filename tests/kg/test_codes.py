"""Sign codes: what they are, and that the search equals a plain one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stepladder.kg import codes

DIMS = st.sampled_from([1, 3, 8, 20, 63, 64, 65, 100, 128, 200, 256])


def vectors(count: int, dim: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


@given(dim=DIMS, seed=st.integers(0, 2**32))
def test_a_rotation_keeps_lengths_and_angles(dim: int, seed: int) -> None:
    turn = codes.rotation(dim, seed)
    assert turn.shape == (dim, dim)
    assert turn.dtype == np.float32
    np.testing.assert_allclose(turn.T @ turn, np.eye(dim), atol=1e-5)


@pytest.mark.parametrize("dim", [256, 384])
def test_a_rotation_spreads_each_coordinate_over_all(dim: int) -> None:
    share = np.square(codes.rotation(dim))
    assert share.max() < 3.01 / dim


def test_a_rotation_is_the_same_for_the_same_seed_and_only_then() -> None:
    first = codes.rotation(100, 1).copy()
    codes.rotation.cache_clear()
    np.testing.assert_array_equal(codes.rotation(100, 1), first)
    assert not np.array_equal(codes.rotation(100, 2), first)


def test_the_default_rotation_never_changes() -> None:
    signs = "".join("+" if value > 0 else "-" for value in codes.rotation(256)[:32, 0])
    assert signs == "-+-+++-+-++--++---+-+---+-+-+--+"
    assert set(np.abs(codes.rotation(256)).ravel()) == {np.float32(1 / 16)}


@pytest.mark.parametrize(("dim", "width"), [(1, 8), (64, 8), (65, 16), (256, 32), (384, 48)])
def test_a_code_has_one_bit_a_dimension_in_whole_words(dim: int, width: int) -> None:
    rows, centre = vectors(5, dim, 0), vectors(1, dim, 1)[0]
    encoded = codes.encode(rows, centre)
    bits = np.unpackbits(encoded, axis=1)
    assert encoded.shape == (5, width)
    assert encoded.dtype == np.uint8
    assert not bits[:, dim:].any()
    np.testing.assert_array_equal(bits[:, :dim], (rows - centre) @ codes.rotation(dim) > 0)


def test_more_rows_than_a_block_are_encoded_and_searched_alike() -> None:
    rows, centre = vectors(40_000, 8, 0), np.zeros(8, dtype=np.float32)
    encoded = codes.encode(rows, centre)
    np.testing.assert_array_equal(encoded[33_333:33_334], codes.encode(rows[33_333:33_334], centre))
    query = codes.encode_query(rows[33_333], centre)
    np.testing.assert_array_equal(
        codes.nearest(encoded, query, k=500),
        plain_nearest(encoded, rows[33_333], centre, k=500, mask=None),
    )


@given(
    dim=DIMS,
    count=st.integers(0, 40),
    k=st.integers(0, 50),
    seed=st.integers(0, 1_000),
    masked=st.booleans(),
)
def test_the_search_equals_a_plain_one(
    dim: int, count: int, k: int, seed: int, masked: bool
) -> None:
    rows, centre = vectors(count, dim, seed), vectors(1, dim, seed + 1)[0] / 10
    query = vectors(1, dim, seed + 2)[0]
    mask = np.random.default_rng(seed).random(count) < 0.5 if masked else None
    encoded = codes.encode(rows, centre)
    np.testing.assert_array_equal(
        codes.nearest(encoded, codes.encode_query(query, centre), k=k, mask=mask),
        plain_nearest(encoded, query, centre, k=k, mask=mask),
    )


@pytest.mark.parametrize("dim", [64, 256])
def test_a_search_leaves_the_codes_as_they_were(dim: int) -> None:
    centre = np.zeros(dim, dtype=np.float32)
    encoded = codes.encode(vectors(20, dim, 0), centre)
    before = encoded.copy()
    codes.nearest(encoded, codes.encode_query(vectors(1, dim, 1)[0], centre), k=5)
    np.testing.assert_array_equal(encoded, before)


def test_equal_distances_are_ordered_by_index() -> None:
    row = vectors(1, 256, 0)
    encoded = codes.encode(np.repeat(row, 50, axis=0), np.zeros(256, dtype=np.float32))
    query = codes.encode_query(vectors(1, 256, 1)[0], np.zeros(256, dtype=np.float32))
    mask = np.arange(50) % 3 == 0
    assert codes.nearest(encoded, query, k=4).tolist() == [0, 1, 2, 3]
    assert codes.nearest(encoded, query, k=4, mask=mask).tolist() == [0, 3, 6, 9]


def test_a_vector_is_nearest_to_itself() -> None:
    rows, centre = vectors(500, 256, 0), vectors(1, 256, 1)[0] / 10
    encoded = codes.encode(rows, centre)
    found = [codes.nearest(encoded, codes.encode_query(row, centre), k=1)[0] for row in rows]
    assert found == list(range(500))


def test_the_centre_as_a_query_finds_something_and_fails_not() -> None:
    centre = vectors(1, 100, 1)[0]
    encoded = codes.encode(vectors(10, 100, 0), centre)
    assert len(codes.nearest(encoded, codes.encode_query(centre, centre), k=3)) == 3


def test_codes_read_back_from_bytes_are_searched_alike() -> None:
    rows, centre = vectors(100, 100, 0), np.zeros(100, dtype=np.float32)
    encoded = codes.encode(rows, centre)
    stored = np.frombuffer(b"-" + encoded.tobytes(), dtype=np.uint8, offset=1).reshape(100, -1)
    query = codes.encode_query(rows[7], centre)
    np.testing.assert_array_equal(
        codes.nearest(stored, query, k=100), codes.nearest(encoded, query, k=100)
    )


def test_nine_of_ten_nearest_of_crowded_vectors_are_among_the_candidates() -> None:
    random = np.random.default_rng(5)
    spread = random.standard_normal((16, 256)) + 0.3 * random.standard_normal(256)
    rows = (random.standard_normal((5_000, 16)) @ spread).astype(np.float32) + np.float32(2)
    rows += 2 * random.standard_normal(rows.shape).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    centre = rows.mean(axis=0)
    encoded = codes.encode(rows, centre)
    shares = []
    for query in rows[:100]:
        truth = np.argsort(-(rows @ query), kind="stable")[:10]
        found = codes.nearest(encoded, codes.encode_query(query, centre), k=100)
        shares.append(np.isin(truth, found).mean())
    assert np.mean(shares) > 0.9


def plain_nearest(
    encoded: NDArray[np.uint8],
    query: NDArray[np.float32],
    centre: NDArray[np.float32],
    *,
    k: int,
    mask: NDArray[np.bool_] | None,
) -> list[int]:
    """Sort all rows by the summed magnitude of the query where a row's sign is another."""
    dim = len(centre)
    turned = ((query - centre)[None] @ codes.rotation(dim))[0]
    step = np.float32(0.55) * np.sqrt(np.mean(np.square(turned)))
    magnitudes = [2 * min(int(abs(value) / step), 3) + 1 for value in turned]
    bits = np.unpackbits(encoded, axis=1)[:, :dim]
    distances = [
        sum(m for m, bit, value in zip(magnitudes, row, turned, strict=True) if bit != (value > 0))
        for row in bits.tolist()
    ]
    allowed = [row for row in range(len(encoded)) if mask is None or mask[row]]
    return sorted(allowed, key=lambda row: (distances[row], row))[:k]
