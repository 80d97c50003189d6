"""A client of /dev/crypto on ioctl and ctypes, independent of the offsets in device/abi.mjs and in
the engine. It asserts what was seen with the real module."""

import ctypes
import errno
import fcntl
import hashlib
import hmac
import os

from account import case, errno_of, run

u16, u32, pointer = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_void_p


def structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


Session = structure(
    "Session",
    ("cipher", u32),
    ("mac", u32),
    ("keylen", u32),
    ("key", pointer),
    ("mackeylen", u32),
    ("mackey", pointer),
    ("ses", u32),
)
Crypt = structure(
    "Crypt",
    ("ses", u32),
    ("op", u16),
    ("flags", u16),
    ("len", u32),
    ("src", pointer),
    ("dst", pointer),
    ("mac", pointer),
    ("iv", pointer),
)
Auth = structure(
    "Auth",
    ("ses", u32),
    ("op", u16),
    ("flags", u16),
    ("len", u32),
    ("auth_len", u32),
    ("auth_src", pointer),
    ("src", pointer),
    ("dst", pointer),
    ("tag", pointer),
    ("tag_len", u32),
    ("iv", pointer),
    ("iv_len", u32),
)
Names = structure("Names", ("name", ctypes.c_char * 64), ("driver", ctypes.c_char * 64))
Info = structure(
    "Info", ("ses", u32), ("cipher", Names), ("hash", Names), ("alignmask", u16), ("flags", u32)
)
Copy = structure("Copy", ("dst", u32), ("src", u32))


def number(direction, code, kind):
    return direction << 30 | ctypes.sizeof(kind) << 16 | ord("c") << 8 | code


CREATE, FREE, CRYPT = number(3, 102, Session), number(1, 103, u32), number(3, 104, Crypt)
INFO, AUTH, COPY = number(3, 107, Info), number(3, 109, Auth), number(1, 112, Copy)
AES_CTR, AES_CCM, AES_GCM, SHA256, SHA256_HMAC = 21, 51, 50, 104, 18
UPDATE, FINAL, NO_ZC, RESET = 1, 2, 8, 64


def call(fd, command, argument):
    fcntl.ioctl(fd, command, argument)
    return argument


def address(data):
    return ctypes.addressof(data) if data is not None else None


def held(data):
    return (
        None
        if data is None
        else (ctypes.c_char * max(len(data), 1)).from_buffer_copy(data or b"\0")
    )


class Device:
    def __init__(self):
        self.fd = os.open("/dev/crypto", os.O_RDWR | os.O_CLOEXEC)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def session(self, cipher=0, mac=0, key=b"", mackey=b""):
        keys = held(key), held(mackey)
        return call(
            self.fd,
            CREATE,
            Session(cipher, mac, len(key), address(keys[0]), len(mackey), address(keys[1]), 0),
        ).ses

    def free(self, ses):
        call(self.fd, FREE, u32(ses))

    def crypt(self, ses, data, iv=None, op=0, flags=0, mac_size=0, output=True):
        src, ivs, mac = held(data), held(iv), ctypes.create_string_buffer(max(mac_size, 1))
        dst = ctypes.create_string_buffer(max(len(data), 1))
        call(
            self.fd,
            CRYPT,
            Crypt(
                ses,
                op,
                flags,
                len(data),
                address(src),
                address(dst) if output else None,
                address(mac) if mac_size else None,
                address(ivs),
            ),
        )
        return dst.raw[: len(data)], mac.raw[:mac_size]

    def hash(self, ses, data, flags=0, size=32):
        return self.crypt(ses, data, flags=flags, mac_size=size, output=False)[1]

    def aead(self, ses, data, iv, aad=b"", op=0, tag_len=0):
        src, ivs, aads, dst = (
            held(data),
            held(iv),
            held(aad),
            ctypes.create_string_buffer(len(data) + 16),
        )
        out = call(
            self.fd,
            AUTH,
            Auth(
                ses,
                op,
                0,
                len(data),
                len(aad),
                address(aads),
                address(src),
                address(dst),
                None,
                tag_len,
                address(ivs),
                len(iv),
            ),
        )
        return dst.raw[: out.len]


@case
def numbers():
    """the ioctls' numbers, which contain the sizes of the structures"""
    assert [CREATE, FREE, CRYPT, INFO, AUTH, COPY] == [
        0xC0306366,
        0x40046367,
        0xC0306368,
        0xC10C636B,
        0xC048636D,
        0x40086370,
    ]


@case
def digests():
    """SHA-256 and HMAC in one call, also of the empty message; keys longer than a block"""
    with Device() as device:
        ses = device.session(mac=SHA256)
        for data in (b"abc", b"", b"x" * 100_000):
            assert device.hash(ses, data) == hashlib.sha256(data).digest()
        for key in (b"k", b"k" * 64, b"k" * 200):
            ses = device.session(mac=SHA256_HMAC, mackey=key)
            assert device.hash(ses, b"message") == hmac.new(key, b"message", "sha256").digest()
        device.session(mac=SHA256_HMAC)


@case
def running():
    """an incremental hash, its copy, and what happens without a reset"""
    with Device() as device:
        first, second = device.session(mac=SHA256), device.session(mac=SHA256)
        device.hash(first, b"abc", RESET | UPDATE)
        call(device.fd, COPY, Copy(second, first))
        device.hash(first, b"def", UPDATE)
        assert device.hash(first, b"ghi", FINAL) == hashlib.sha256(b"abcdefghi").digest()
        assert device.hash(second, b"", FINAL) == hashlib.sha256(b"abc").digest()
        assert device.hash(second, b"abc", NO_ZC) != hashlib.sha256(b"abc").digest()
        assert device.hash(second, b"abc", RESET) == hashlib.sha256(b"abc").digest()
        keyed, other = device.session(mac=SHA256_HMAC, mackey=b"key"), device.session(
            mac=SHA256_HMAC, mackey=b"key"
        )
        device.hash(keyed, b"abc", RESET | UPDATE)
        call(device.fd, COPY, Copy(other, keyed))
        assert device.hash(other, b"", FINAL) == hmac.new(b"key", b"abc", "sha256").digest()


@case
def counter_mode():
    """AES-CTR: NIST SP 800-38A F.5.5, any length, both ways"""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    iv = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    sealed = bytes.fromhex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5")
    with Device() as device:
        ses = device.session(AES_CTR, key=key)
        assert device.crypt(ses, plain, iv)[0] == sealed
        assert device.crypt(ses, sealed[:17], iv, op=1)[0] == plain[:17]


@case
def galois():
    """AES-GCM: McGrew and Viega's test case 16; the returned length; forgeries are EBADMSG"""
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    iv = bytes.fromhex("cafebabefacedbaddecaf888")
    aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    plain = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    with Device() as device:
        ses = device.session(AES_GCM, key=key)
        sealed = device.aead(ses, plain, iv, aad)
        assert (
            len(sealed) == len(plain) + 16
            and sealed[-16:].hex() == "76fc6ece0f4e1768cddf8853bb2d551b"
        )
        assert device.aead(ses, sealed, iv, aad, op=1) == plain
        assert (
            errno_of(device.aead, ses, sealed[:-1] + bytes([sealed[-1] ^ 1]), iv, aad, 1)
            == errno.EBADMSG
        )
        assert len(device.aead(ses, b"", iv)) == 16
        assert len(device.aead(ses, plain, iv, aad, tag_len=12)) == len(plain) + 12
        assert errno_of(device.crypt, ses, b"x", iv) == errno.EINVAL


@case
def refusals():
    """unknown ciphers, key sizes and sessions are EINVAL, ciphers the kernel lacks ENOENT"""
    with Device() as device, Device() as other:
        assert errno_of(device.session, 999) == errno.EINVAL
        assert errno_of(device.session, 0, 0) == errno.EINVAL
        assert errno_of(device.session, AES_CCM, 0, b"k" * 16) == errno.ENOENT
        assert errno_of(device.session, AES_CTR, 0, b"k" * 17) == errno.EINVAL
        ses = device.session(AES_CTR, key=b"k" * 16)
        assert errno_of(other.crypt, ses, b"x", bytes(16)) == errno.EINVAL
        device.free(ses)
        assert errno_of(device.crypt, ses, b"x", bytes(16)) == errno.EINVAL
        assert errno_of(device.free, ses) == errno.EINVAL


@case
def limit():
    """64 KiB pass; 128 KiB are ENOMEM, as CUSE carries no more; the session stays usable"""
    with Device() as device:
        ses = device.session(AES_CTR, key=b"k" * 16)
        assert len(device.crypt(ses, bytes(65536), bytes(16))[0]) == 65536
        assert errno_of(device.crypt, ses, bytes(2**17), bytes(16)) == errno.ENOMEM
        assert len(device.crypt(ses, b"x", bytes(16))[0]) == 1


@case
def information():
    """names, drivers, and the accelerator flag, here on SHA-256 only"""
    with Device() as device:
        info = call(device.fd, INFO, Info(ses=device.session(AES_CTR, key=b"k" * 16)))
        assert (info.cipher.name, info.hash.name, info.flags) == (b"ctr(aes)", b"", 0)
        info = call(device.fd, INFO, Info(ses=device.session(mac=SHA256)))
        assert (info.cipher.name, info.hash.name, info.flags & 1) == (b"", b"sha256", 1)


run()
