"""Tests the behaviour of AF_ALG that the engine relies on, through Python's socket module."""

import errno
import hashlib
import hmac
import socket
import struct

from account import case, errno_of, run

CHUNK = 65536


def bound(kind, name, key=None, tag=None):
    transform = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0)
    transform.bind((kind, name))
    if key is not None:
        transform.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, key)
    if tag is not None:
        transform.setsockopt(socket.SOL_ALG, socket.ALG_SET_AEAD_AUTHSIZE, None, tag)
    return transform


def operation(transform):
    return transform.accept()[0]


# recv() blocks until its buffer is full, so the buffer must have exactly the size of the result.
def crypt(op, data, iv, direction=socket.ALG_OP_ENCRYPT, aad=None, extra=0, flags=0):
    op.sendmsg_afalg(
        [data] if aad is None else [aad, data],
        op=direction,
        iv=iv,
        **({} if aad is None else {"assoclen": len(aad)}),
        flags=flags
    )
    return op.recv(len(data) + len(aad or b"") + extra)


@case
def digests():
    """a hash of any size in one send, and of the empty message"""
    with bound("hash", "sha256") as transform, operation(transform) as op:
        for size in (1, 63, 64, 65, CHUNK, 2**20 + 1):
            data = bytes(index & 255 for index in range(size))
            op.sendall(data)
            assert op.recv(32) == hashlib.sha256(data).digest(), size
        assert op.recv(32) == hashlib.sha256(b"").digest()


@case
def pieces():
    """an incremental hash with MSG_MORE, and its copy by accept()"""
    with bound("hash", "sha512") as transform, operation(transform) as op:
        op.send(b"abc", socket.MSG_MORE)
        with operation(op) as copy:
            copy.send(b"x", socket.MSG_MORE)
            op.send(b"def", socket.MSG_MORE)
            assert copy.recv(64) == hashlib.sha512(b"abcx").digest()
        assert op.recv(64) == hashlib.sha512(b"abcdef").digest()


@case
def short_read():
    """a short read of a digest truncates it"""
    with bound("hash", "sha256") as transform, operation(transform) as op:
        op.send(b"abc")
        data, _, flags, _ = op.recvmsg(16)
        assert data == hashlib.sha256(b"abc").digest()[:16]
        assert flags & socket.MSG_TRUNC


@case
def authentication():
    """HMAC: the right code; without a key ENOKEY; a new key while an operation is open is EBUSY"""
    with bound("hash", "hmac(sha256)", b"k" * 20) as transform:
        with operation(transform) as op:
            op.send(b"message")
            assert op.recv(32) == hmac.new(b"k" * 20, b"message", "sha256").digest()
            assert (
                errno_of(transform.setsockopt, socket.SOL_ALG, socket.ALG_SET_KEY, b"other")
                == errno.EBUSY
            )
    with bound("hash", "hmac(sha256)") as transform, operation(transform) as op:
        assert errno_of(op.send, b"message") == errno.ENOKEY


@case
def counter_mode():
    """AES-CTR: NIST SP 800-38A F.5.5; MSG_MORE returns whole blocks and keeps the counter"""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    iv = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    sealed = bytes.fromhex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5")
    with bound("skcipher", "ctr(aes)", key) as transform, operation(transform) as op:
        assert crypt(op, plain, iv) == sealed
        assert crypt(op, sealed, iv, socket.ALG_OP_DECRYPT) == plain
        op.sendmsg_afalg([plain[:17]], op=socket.ALG_OP_ENCRYPT, iv=iv, flags=socket.MSG_MORE)
        assert op.recv(16) == sealed[:16]
        op.send(plain[17:])
        assert op.recv(16) == sealed[16:]


@case
def long_counter_mode():
    """AES-CTR of a mebibyte in chunks of 64 KiB is that in chunks of 16"""
    key, iv, data = b"k" * 16, b"\xff" * 16, b"\x5a" * 2**20
    with bound("skcipher", "ctr(aes)", key) as transform, operation(transform) as op:
        out = b""
        for at in range(0, len(data), CHUNK):
            last = at + CHUNK >= len(data)
            if at == 0:
                op.sendmsg_afalg(
                    [data[:CHUNK]], op=socket.ALG_OP_ENCRYPT, iv=iv, flags=socket.MSG_MORE
                )
            else:
                op.send(data[at : at + CHUNK], 0 if last else socket.MSG_MORE)
            out += op.recv(CHUNK)
        assert crypt(op, data[:16], iv) == out[:16]
        counter = (int.from_bytes(iv, "big") + (2**20 - 16) // 16) % 2**128
        assert crypt(op, data[-16:], counter.to_bytes(16, "big")) == out[-16:]


@case
def chacha():
    """ChaCha20: RFC 8439, 2.4.2; its counter and nonce are the kernel's iv"""
    iv = struct.pack("<I", 1) + bytes.fromhex("000000000000004a00000000")
    plain = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        b"future, sunscreen would be it."
    )
    with bound("skcipher", "chacha20", bytes(range(32))) as transform, operation(transform) as op:
        assert (
            crypt(op, plain, iv)
            .hex()
            .startswith("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b")
        )


@case
def galois():
    """AES-GCM: test case 16; additional data comes back first; forgeries are EBADMSG"""
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    iv = bytes.fromhex("cafebabefacedbaddecaf888")
    aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    plain = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    with bound("aead", "gcm(aes)", key, 16) as transform, operation(transform) as op:
        out = crypt(op, plain, iv, aad=aad, extra=16)
        assert out[: len(aad)] == aad
        assert out[-16:].hex() == "76fc6ece0f4e1768cddf8853bb2d551b"
        sealed = out[len(aad) :]
        assert crypt(op, sealed, iv, socket.ALG_OP_DECRYPT, aad, extra=-16) == aad + plain
        forged = sealed[:-1] + bytes([sealed[-1] ^ 1])
        assert errno_of(crypt, op, forged, iv, socket.ALG_OP_DECRYPT, aad, -16) == errno.EBADMSG
        assert crypt(op, plain, iv, aad=aad, extra=16) == out
        assert len(crypt(op, b"", iv, aad=b"", extra=16)) == 16


@case
def tag_sizes():
    """AES-GCM: tags of 4, 8 and 12 to 16 bytes, no others"""
    for size in range(1, 18):
        with bound("aead", "gcm(aes)", b"k" * 16) as transform:
            refused = errno_of(
                transform.setsockopt, socket.SOL_ALG, socket.ALG_SET_AEAD_AUTHSIZE, None, size
            )
            assert refused == (0 if size in (4, 8, 12, 13, 14, 15, 16) else errno.EINVAL), (
                size,
                refused,
            )


@case
def poly1305():
    """ChaCha20-Poly1305: RFC 8439, 2.8.2"""
    key = bytes(range(0x80, 0xA0))
    iv = bytes.fromhex("070000004041424344454647")
    aad = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    plain = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        b"future, sunscreen would be it."
    )
    with bound("aead", "rfc7539(chacha20,poly1305)", key, 16) as transform, operation(
        transform
    ) as op:
        out = crypt(op, plain, iv, aad=aad, extra=16)
        assert out[-16:].hex() == "1ae10b594f09e26a7e902ecbd0600691"


@case
def large_aead():
    """AES-GCM of 128 KiB can be queued; far more than the send buffer holds cannot"""
    with bound("aead", "gcm(aes)", b"k" * 16, 16) as transform, operation(transform) as op:
        assert len(crypt(op, b"x" * 2**17, b"i" * 12, aad=b"", extra=16)) == 2**17 + 16
        op.setblocking(False)
        sent = op.sendmsg_afalg(
            [b"x" * 2**24],
            op=socket.ALG_OP_ENCRYPT,
            iv=b"i" * 12,
            assoclen=0,
            flags=socket.MSG_MORE,
        )
        assert sent < 2**24, sent


@case
def unknown():
    """an unknown algorithm is ENOENT when it is bound, an unknown kind too"""
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0) as transform:
        assert errno_of(transform.bind, ("hash", "no-such-hash")) == errno.ENOENT
        assert errno_of(transform.bind, ("no-such-kind", "sha256")) == errno.ENOENT


run()
