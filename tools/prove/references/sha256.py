"""SHA-256: sections 4.1.2 and 6.2 of FIPS 180-4."""

from ..terms import W32
from .sha2 import Sha2

SHA256 = Sha2(W32, 64, ((2, 13, 22), (6, 11, 25)), ((7, 18, 3), (17, 19, 10)))
CONSTANTS, INITIAL = SHA256.constants, SHA256.initial
schedule, round, two_rounds, compress = SHA256.schedule, SHA256.round, SHA256.two_rounds, SHA256.compress
