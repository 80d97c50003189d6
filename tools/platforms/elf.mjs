// Reads the exports of an ELF library of Linux, its libraries, and its version of glibc.

const cpus = { 62: 'x64', 183: 'arm64' };

/** @param {Buffer} file a 64-bit little-endian ELF library; undefined for other files */
export function readElf(file) {
  const library = 3;
  if (file.readUInt32BE(0) !== 0x7f454c46 || file.readUInt16LE(16) !== library) return undefined;
  const word = (at) => Number(file.readBigUInt64LE(at));
  const sections = [];
  const [start, size, count] = [word(40), file.readUInt16LE(58), file.readUInt16LE(60)];
  for (let i = 0; i < count; i++) {
    const at = start + i * size;
    sections.push({
      type: file.readUInt32LE(at + 4),
      offset: word(at + 24),
      size: word(at + 32),
      link: file.readUInt32LE(at + 40),
      info: file.readUInt32LE(at + 44),
    });
  }
  const of = (type) => sections.find((section) => section.type === type);
  const text = (section, at) => textAt(file, sections[section.link].offset + at);
  const machine = file.readUInt16LE(18);
  return {
    cpu: cpus[machine] ?? `machine ${machine}`,
    unwinds: hasUnwindTable(file, word(32)),
    exports: dynamicSymbols(file, of(11), text),
    needed: neededLibraries(file, of(6), text),
    glibc: highestGlibc(file, of(0x6ffffffe), text),
  };
}

export function textAt(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}

/** Returns true if there is a segment PT_GNU_EH_FRAME, by which a panic finds its handler. */
function hasUnwindTable(file, start) {
  const [size, count] = [file.readUInt16LE(54), file.readUInt16LE(56)];
  return Array.from({ length: count }, (_, i) => file.readUInt32LE(start + i * size)).includes(
    0x6474e550,
  );
}

/** Returns the defined global symbols of .dynsym. */
function dynamicSymbols(file, section, text) {
  const names = [];
  for (let at = section.offset; at < section.offset + section.size; at += 24) {
    const local = file[at + 4] >> 4 === 0;
    const undefinedHere = file.readUInt16LE(at + 6) === 0;
    if (!local && !undefinedHere) names.push(text(section, file.readUInt32LE(at)));
  }
  return names;
}

/** Returns DT_NEEDED of .dynamic. */
function neededLibraries(file, section, text) {
  const names = [];
  for (let at = section.offset; at < section.offset + section.size; at += 16) {
    if (file.readBigUInt64LE(at) === 1n) names.push(text(section, file.readUInt32LE(at + 8)));
  }
  return names;
}

/**
 * Returns the highest `GLIBC_` version of .gnu.version_r, such as 2.28; undefined if none is
 * needed.
 */
function highestGlibc(file, section, text) {
  const versions = [];
  let at = section?.offset;
  for (let i = 0; i < (section?.info ?? 0); i++) {
    let entry = at + file.readUInt32LE(at + 8);
    for (let left = file.readUInt16LE(at + 2); left > 0; left--) {
      const name = text(section, file.readUInt32LE(entry + 8));
      if (name.startsWith('GLIBC_')) versions.push(name.slice(6));
      entry += file.readUInt32LE(entry + 12);
    }
    at += file.readUInt32LE(at + 12);
  }
  return versions.sort((left, right) => left.localeCompare(right, 'en', { numeric: true })).at(-1);
}
