"""SHA-512: sections 4.1.3 and 6.4 of FIPS 180-4."""

from ..terms import W64
from .sha2 import Sha2

SHA512 = Sha2(W64, 80, ((28, 34, 39), (14, 18, 41)), ((1, 8, 7), (19, 61, 6)))
CONSTANTS, INITIAL = SHA512.constants, SHA512.initial
schedule, round, two_rounds, compress = SHA512.schedule, SHA512.round, SHA512.two_rounds, SHA512.compress
