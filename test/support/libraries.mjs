// The smallest libraries of each system that tools/platforms/inspect.mjs can read, with what they
// say of themselves given. None of them can be loaded.

import { createHash } from 'node:crypto';

const [u8, u16, u32, u64] = [1, 2, 4, 8].map((size) => (value) => {
  const bytes = zeros(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, size);
});
const u32be = (value) => u32(value).reverse();
const zeros = (count) => Buffer.alloc(count);
const join = (...parts) => Buffer.concat(parts.flat());

/** Returns a table of strings: `at` adds one and returns its offset. */
function strings() {
  let text = '\0';
  const at = (name) => {
    text += `${name}\0`;
    return text.length - name.length - 1;
  };
  return { at, bytes: () => Buffer.from(text, 'latin1') };
}

/**
 * Returns an ELF file of Linux.
 *
 * @param {{ machine: number, type?: number, exports: string[], needed: string[], glibc?: string,
 *   unwinds?: boolean }} library
 */
export function elf({ machine, type = 3, exports, needed, glibc, unwinds = true }) {
  const names = strings();
  const symbol = (name) => join(u32(names.at(name)), u8(0x12), u8(0), u16(1), zeros(16));
  const dynsym = join(zeros(24), exports.map(symbol));
  const dynamic = join(needed.map((name) => join(u64(1), u64(names.at(name)))));
  const version = join(u16(1), u16(1), u32(0), u32(16), u32(0));
  const asks = () => join(version, zeros(8), u32(names.at(`GLIBC_${glibc}`)), zeros(4));
  const versions = glibc === undefined ? zeros(0) : asks();
  const sections = [
    { type: 0, bytes: zeros(0) },
    { type: 11, bytes: dynsym },
    { type: 3, bytes: names.bytes() },
    { type: 6, bytes: dynamic },
    ...(glibc === undefined ? [] : [{ type: 0x6ffffffe, bytes: versions, info: 1 }]),
  ];
  const segment = join(u32(unwinds ? 0x6474e550 : 1), zeros(52));
  let offset = 64 + segment.length;
  const table = sections.map(({ type: kind, bytes, info = 0 }) => {
    const entry = [u32(0), u32(kind), zeros(16), u64(offset), u64(bytes.length), u32(2), u32(info)];
    offset += bytes.length;
    return join(entry, zeros(16));
  });
  const sizes = [64, 56, 1, 64, sections.length, 0].map(u16);
  const magic = Buffer.from('7f454c46020101000000000000000000', 'hex');
  const header = [magic, u16(type), u16(machine), u32(1), u64(0), u64(64), u64(offset), u32(0)];
  return join(header, sizes, segment, ...sections.map(({ bytes }) => bytes), table);
}

/**
 * Returns a Mach-O file of macOS, signed ad hoc.
 *
 * @param {{ cpu: number, type?: number, exports: string[], needed: string[], open?: string[],
 *   system: number, unwinds?: boolean, signed?: boolean }} library system: 11.2 as 0xb0200
 */
export function machO(library) {
  const { cpu, type = 6, exports, needed, open = [], system } = library;
  const { unwinds = true, signed = true } = library;
  const command = (kind, ...fields) => {
    const bytes = join(...fields);
    return join(u32(kind), u32(8 + bytes.length), bytes);
  };
  const section = Buffer.from(unwinds ? '__unwind_info\0\0\0' : '__const\0\0\0\0\0\0\0\0\0');
  const sized = join(section, zeros(24), u64(8), zeros(32));
  const names = strings();
  const symbols = join(
    open.map((name) => join(u32(names.at(`_${name}`)), u8(1), u8(0), u16(0xfe00), u64(0))),
  );
  const trie = exportTrie(exports);
  const dylib = (name) => {
    const padded = zeros(Math.ceil((name.length + 1) / 8) * 8);
    padded.write(name);
    return command(0xc, u32(24), zeros(12), padded);
  };
  // Twice: the offsets depend on the size of the commands.
  const commands = (start) => {
    const text = start + trie.length + symbols.length;
    const end = text + names.bytes().length;
    const all = [
      command(0x19, zeros(56), u32(1), u32(0), sized),
      command(0x32, u32(1), u32(system), u32(system), u32(0)),
      ...needed.map(dylib),
      command(0x80000033, u32(start), u32(trie.length)),
      command(0x2, u32(start + trie.length), u32(open.length), u32(text), u32(end - text)),
      ...(signed ? [command(0x1d, u32(end), u32(0))] : []),
    ];
    return { all, size: join(all).length };
  };
  const { size } = commands(0);
  const { all } = commands(32 + size);
  const header = [0xfeedfacf, cpu, 0, type, all.length, size, 0, 0].map(u32);
  const bytes = join(header, all, trie, symbols, names.bytes());
  return signed ? join(bytes, signature(bytes)) : bytes;
}

/** Returns a node for the root and one for each name; all offsets are below 128. */
function exportTrie(exports) {
  const size = 2 + exports.reduce((sum, name) => sum + name.length + 3, 0);
  const edges = exports.map((name, i) => join(Buffer.from(`_${name}\0`), u8(size + i * 4)));
  const leaf = Buffer.of(2, 0, 0, 0);
  return join(Buffer.of(0, exports.length), edges, ...exports.map(() => leaf));
}

function signature(bytes) {
  const pages = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, page) => {
    const content = bytes.subarray(page * 4096, (page + 1) * 4096);
    return createHash('sha256').update(content).digest();
  });
  const numbers = [0x20000, 2, 44, 44, 0, pages.length, bytes.length].map(u32be);
  const body = join(numbers, Buffer.of(32, 2, 0, 12), zeros(4), pages);
  const directory = join(u32be(0xfade0c02), u32be(8 + body.length), body);
  return join([0xfade0cc0, 20 + directory.length, 1, 0, 20].map(u32be), directory);
}

/**
 * Returns a DLL of Windows.
 *
 * @param {{ machine: number, library?: boolean, exports: string[], needed: string[],
 *   system: [number, number], unwinds?: boolean }} file
 */
export function pe({ machine, library = true, exports, needed, system, unwinds = true }) {
  const [address, raw] = [0x1000, 512];
  const names = strings();
  const offsets = exports.map((name) => names.at(name));
  const libraries = needed.map((name) => names.at(name));
  const [exported, imported] = [40 + exports.length * 4, (needed.length + 1) * 20];
  const text = address + exported + imported;
  const data = join(
    zeros(24),
    u32(exports.length),
    zeros(4),
    u32(address + 40),
    zeros(4),
    offsets.map((at) => u32(text + at)),
    libraries.map((at) => join(zeros(12), u32(text + at), zeros(4))),
    zeros(20),
    names.bytes(),
  );
  const directories = [address, exported, address + exported, imported, 0, 0, unwinds ? 1 : 0, 8];
  const optional = join(
    join(u16(0x20b), zeros(46), system.map(u16), zeros(60)),
    directories.map(u32),
    zeros(240 - 112 - directories.length * 4),
  );
  const flags = library ? 0x2022 : 0x22;
  const header = join(u16(machine), u16(1), zeros(12), u16(optional.length), u16(flags));
  const section = join(zeros(8), [data.length, address, data.length, raw].map(u32), zeros(16));
  const front = join(Buffer.from('MZ'), zeros(58), u32(64), Buffer.from('PE\0\0'), header);
  return join(join(front, optional, section), zeros(raw - 64 - 24 - 240 - 40), data);
}
