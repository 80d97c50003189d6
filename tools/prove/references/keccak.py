"""Keccak-p[1600] of FIPS 202. Lane (x, y) is at index x + 5y."""

from ..terms import W64


def _round_constant_bit(t):
    """Algorithm 5: the last bit of a shift register after `t` steps."""
    register = 1
    for _ in range(t % 255):
        register <<= 1
        if register >> 8:
            register ^= 0x171
    return register & 1


# Algorithm 6.
ROUND_CONSTANTS = [sum(_round_constant_bit(j + 7 * index) << (2**j - 1) for j in range(7))
                   for index in range(24)]


def rho_offsets():
    """Algorithm 2: returns how far to rotate each lane."""
    offsets, x, y = [0] * 25, 1, 0
    for t in range(24):
        offsets[x + 5 * y] = (t + 1) * (t + 2) // 2 % 64
        x, y = y, (2 * x + 3 * y) % 5
    return offsets


OFFSETS = rho_offsets()


def round(lanes, constant):
    """Section 3.3: theta, rho, pi, chi and iota."""
    columns = [W64.xor(*lanes[x::5]) for x in range(5)]
    effects = [W64.xor(columns[(x - 1) % 5], W64.rotl(columns[(x + 1) % 5], 1)) for x in range(5)]
    rotated = [W64.rotl(W64.xor(lane, effects[at % 5]), OFFSETS[at]) for at, lane in enumerate(lanes)]
    placed = [rotated[(x + 3 * y) % 5 + 5 * x] for y in range(5) for x in range(5)]
    result = []
    for at in range(25):
        x, row = at % 5, at - at % 5
        others = W64.and_(W64.not_(placed[row + (x + 1) % 5]), placed[row + (x + 2) % 5])
        result.append(W64.xor(placed[at], others))
    result[0] = W64.xor(result[0], constant)
    return result


def permutation(lanes, rounds=24):
    """Section 3.3: the last `rounds` of the 24 rounds; TurboSHAKE and KangarooTwelve have 12."""
    for constant in ROUND_CONSTANTS[24 - rounds:]:
        lanes = round(lanes, constant)
    return lanes
