// Reads and changes objects of LLVM for WebAssembly before they are linked
// (https://github.com/WebAssembly/tool-conventions, Linking.md).

/** Returns the object of a crate in an archive (`ar`) of Rust. */
export function objectOf(archive, crate) {
  let names = '';
  for (let at = 8; at < archive.length;) {
    const header = archive.toString('latin1', at, at + 60);
    const size = Number(header.slice(48, 58));
    const content = archive.subarray(at + 60, at + 60 + size);
    let name = header.slice(0, 16).trim();
    if (name === '//') names = content.toString('latin1');
    else if (/^\/\d+$/.test(name)) {
      const start = Number(name.slice(1));
      name = names.slice(start, names.indexOf('/\n', start));
    }
    if (name.startsWith(`${crate}-`)) return content;
    at += 60 + size + (size % 2);
  }
  return undefined;
}

/** Returns the names that the objects of an archive define, by the archive's own table. */
export function symbolsOf(archive) {
  const size = Number(archive.toString('latin1', 56, 66));
  const table = archive.subarray(68, 68 + size);
  const names = table.subarray(4 + 4 * table.readUInt32BE(0));
  return names.toString('latin1').split('\0');
}

/** Returns the names of an object's functions, as the compiler wrote them. */
export const functionsOf = (object) => [...functionNames(object, sectionsOf(object)).values()];

/**
 * Returns an object in which the functions that `isTrap` names only trap, without the names of
 * source files. The functions refer to nothing, so that the linker leaves out what only they use.
 */
export function withTraps(object, isTrap) {
  const sections = sectionsOf(object);
  const code = sections.find(({ id }) => id === 10);
  const names = functionNames(object, sections);
  const imported = importedFunctions(object, sections);
  const bytes = Buffer.from(object);
  const cut = [];
  const reader = new Reader(object, code.start);
  const count = reader.number();
  for (let index = 0; index < count; index++) {
    const size = reader.number();
    const start = reader.at;
    reader.at += size;
    if (!isTrap(names.get(imported + index) ?? '')) continue;
    // No locals, `unreachable`, `nop` as often as is needed, `end`.
    bytes.fill(1, start, start + size);
    bytes.set([0, 0], start);
    bytes[start + size - 1] = 0x0b;
    cut.push([start - code.start, start + size - code.start]);
  }
  blankPaths(bytes, sections);
  const relocations = sections.find(({ name }) => name === 'reloc.CODE');
  if (relocations === undefined) return bytes;
  return Buffer.concat([
    bytes.subarray(0, relocations.head),
    withoutRelocations(object, relocations, cut),
    bytes.subarray(relocations.end),
  ]);
}

/** Overwrites the names of source files, which only the messages of panics show. */
function blankPaths(bytes, sections) {
  const data = sections.find(({ id }) => id === 11);
  if (data === undefined) return;
  const reader = new Reader(bytes, data.start);
  for (let left = reader.number(); left > 0; left--) {
    reader.number(); // of memory 0
    // `i32.const`, the address, `end`
    reader.at++;
    reader.number();
    reader.at++;
    const size = reader.number();
    const content = bytes.toString('latin1', reader.at, reader.at + size);
    if (/^[\w./-]+\.rs\0?$/.test(content)) bytes.fill(0, reader.at, reader.at + size);
    reader.at += size;
  }
  if (reader.at !== data.end) throw new Error('a data segment of an unknown kind');
}

class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Reads a number of up to 32 bits in LEB128; a signed one as its bits. */
  number() {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      number += (byte & 127) * 2 ** shift;
      if (byte < 128) return number;
    }
  }

  name() {
    const size = this.number();
    this.at += size;
    return this.bytes.toString('utf8', this.at - size, this.at);
  }
}

/** Returns the sections: where each, its content and what follows its name begin. */
function sectionsOf(object) {
  const sections = [];
  const reader = new Reader(object, 8);
  while (reader.at < object.length) {
    const head = reader.at;
    const id = object[reader.at++];
    const size = reader.number();
    const start = reader.at;
    const end = start + size;
    const name = id === 0 ? reader.name() : '';
    sections.push({ id, head, start, content: reader.at, end, name });
    reader.at = end;
  }
  return sections;
}

const KIND_FUNCTION = 0;

function importedFunctions(object, sections) {
  const section = sections.find(({ id }) => id === 2);
  if (section === undefined) return 0;
  const reader = new Reader(object, section.start);
  let functions = 0;
  for (let left = reader.number(); left > 0; left--) {
    reader.name();
    reader.name();
    const kind = object[reader.at++];
    if (kind === KIND_FUNCTION) functions++;
    // A type; an element's type and limits; limits; a type and whether it can change.
    if (kind === 0) reader.number();
    else if (kind === 3) reader.at += 2;
    else {
      if (kind === 1) reader.at++;
      if (reader.number() & 1) reader.number();
      reader.number();
    }
  }
  return functions;
}

/** Returns the names of functions by their indices, from the table of symbols. */
function functionNames(object, sections) {
  const UNDEFINED = 0x10;
  const EXPLICIT_NAME = 0x40;
  const names = new Map();
  const linking = sections.find(({ name }) => name === 'linking');
  const reader = new Reader(object, linking.content);
  reader.number(); // the version
  while (reader.at < linking.end) {
    const kind = object[reader.at++];
    const size = reader.number();
    const end = reader.at + size;
    if (kind === 8) {
      for (let left = reader.number(); left > 0; left--) {
        const symbol = object[reader.at++];
        const flags = reader.number();
        if (symbol === 1) {
          reader.name();
          if (!(flags & UNDEFINED)) for (let field = 0; field < 3; field++) reader.number();
        } else if (symbol === 3) reader.number();
        else {
          const index = reader.number();
          const named = !(flags & UNDEFINED) || flags & EXPLICIT_NAME;
          const name = named ? reader.name() : '';
          if (symbol === KIND_FUNCTION) names.set(index, name);
        }
      }
    }
    reader.at = end;
  }
  return names;
}

/** Kinds of relocations that have an addend: those of addresses in memory, functions, sections. */
const WITH_ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25]);

/** Returns the section of relocations without those in the ranges. */
function withoutRelocations(object, { content, end }, ranges) {
  const reader = new Reader(object, content);
  const section = reader.number();
  const kept = [];
  for (let left = reader.number(); left > 0; left--) {
    const start = reader.at;
    const kind = object[reader.at++];
    const offset = reader.number();
    reader.number();
    if (WITH_ADDEND.has(kind)) reader.number();
    if (!ranges.some(([from, to]) => offset >= from && offset < to))
      kept.push(object.subarray(start, reader.at));
  }
  if (reader.at !== end) throw new Error('a relocation of an unknown kind');
  const name = Buffer.from('reloc.CODE');
  const body = Buffer.concat([leb(name.length), name, leb(section), leb(kept.length), ...kept]);
  return Buffer.concat([Buffer.from([0]), leb(body.length), body]);
}

function leb(number) {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number & 127) | 128);
  return Buffer.from([...bytes, number]);
}
