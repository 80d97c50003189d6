"""Compiles a copy of the core, in which statements have their entries, to LLVM IR.

An entry is a function appended to a file of the copy. Nothing of it is in the repository's sources,
so that nothing of it is in the package. The compiler, the profile and the lock file are those of a
release, but for link-time optimization. Line tables say which source function an instruction is of;
they change no instruction.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / 'target' / 'prove'
TARGETS = {'x86_64': 'x86_64-unknown-linux-gnu', 'aarch64': 'aarch64-unknown-linux-gnu'}
# What cargo reads; of the workspace's other members only the manifests matter.
COPIED = ('Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo/config.toml', 'crates')
# RustCrypto's crates in place of AWS-LC, and BLAKE3 without C: neither is the subject of a statement.
FEATURES = 'rust-crypto,blake3/pure'
KEPT_BUILDS = 24


class CompileFailed(Exception):
    """The compiler refused the sources with the entries, or it is missing."""


@dataclass(frozen=True)
class Built:
    """The IR of one architecture, and a library for calls if this machine can run it."""

    ir: Path
    library: Path | None


@functools.cache
def compiler() -> dict:
    """Returns what `rustc -vV` says: the version as `rustc`, `host`, `LLVM version` and others."""
    first, *lines = _output('rustc', '-vV').splitlines()
    return {'rustc': first} | dict(line.split(': ', 1) for line in lines)


def build(entries, mistake=None) -> dict:
    """Compiles the entries; returns a `Built` for each architecture that they are for.

    `mistake` is one of planted.py, which is made in the copy.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    entries = sorted(set(entries), key=lambda entry: (entry.file, entry.name))
    return {architecture: _build(architecture, [x for x in entries if x.architecture == architecture], mistake)
            for architecture in sorted({entry.architecture for entry in entries})}


def expanded(architecture) -> str:
    """Returns the sources of the core after the expansion of macros."""
    # An unstable option, which makes no code here.
    return _cargo(architecture, 'rlib', '-Zunpretty=expanded', env={'RUSTC_BOOTSTRAP': '1'})


def _cargo(architecture, kind, option, *, folder=ROOT, env=None) -> str:
    return _output(
        'cargo', 'rustc', '--quiet', '--locked', '--package', 'millrace-core', '--release',
        '--no-default-features', '--features', FEATURES, '--crate-type', kind,
        '--target', TARGETS[architecture], '--target-dir', str(FOLDER / 'cargo'),
        '--config', 'profile.release.lto=false',
        '--config', 'profile.release.strip=false', '--config', 'profile.release.debug=1',
        '--', option, folder=folder, env=env)


def _build(architecture, entries, mistake) -> Built:
    target = TARGETS[architecture]
    host = target == compiler()['host']
    folder = FOLDER / 'built' / f'{architecture}-{_stamp(entries, mistake)}'
    built = Built(folder / 'core.ll', folder / 'core.so' if host else None)
    with (FOLDER / 'lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            folder.touch()
            return built
        source = FOLDER / 'source' / architecture
        _copy(source, entries, mistake)
        made = folder.with_name(f'{folder.name}.new')
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        # Only a library for this machine needs a linker.
        kind = 'cdylib' if host else 'staticlib'
        _cargo(architecture, kind, f'--emit=llvm-ir={made / "core.ll"}', folder=source)
        if host:
            shutil.copy(FOLDER / 'cargo' / target / 'release' / 'libmillrace_core.so', made / 'core.so')
        made.rename(folder)
        for old in sorted(folder.parent.iterdir(), key=lambda x: x.stat().st_mtime)[:-KEPT_BUILDS]:
            shutil.rmtree(old)
    return built


def _copy(source, entries, mistake):
    """Copies the workspace to a folder and appends the entries."""
    shutil.rmtree(source, ignore_errors=True)
    for name in COPIED:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, source / name)
    if mistake:
        path = source / 'crates' / 'core' / 'src' / mistake.file
        path.write_text(mistake.made_in(path.read_text()))
    for entry in entries:
        with (source / 'crates' / 'core' / 'src' / entry.file).open('a') as file:
            file.write(_text(entry))


def _text(entry) -> str:
    features = f'#[target_feature(enable = "{entry.features}")]\n' if entry.features else ''
    return (f'\n#[allow(unsafe_code, warnings)]\n#[unsafe(no_mangle)]\n{features}'
            f'pub extern "C" fn {entry.symbol}{entry.code}\n')


def _stamp(entries, mistake) -> str:
    """Returns a digest of all that the IR depends on."""
    digest = hashlib.sha256(repr((sorted(compiler().items()), mistake)).encode())
    core = ROOT / 'crates' / 'core'
    files = [ROOT / 'Cargo.toml', ROOT / 'Cargo.lock', core / 'Cargo.toml', Path(__file__)]
    for path in [*files, *sorted(core.glob('src/**/*.rs'))]:
        digest.update(f'{path.relative_to(ROOT)}\n'.encode() + path.read_bytes())
    for entry in entries:
        digest.update(f'{entry.file}\n{_text(entry)}'.encode())
    return digest.hexdigest()[:16]


def _output(*command, folder=ROOT, env=None) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | (env or {}), capture_output=True, text=True)
    except FileNotFoundError:
        raise CompileFailed(f'there is no {command[0]}') from None
    if done.returncode != 0:
        raise CompileFailed(f'{command[0]} {command[1]} failed:\n{done.stderr}')
    return done.stdout
