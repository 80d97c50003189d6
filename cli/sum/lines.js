// Writes and reads the lines of checksum files in the formats of coreutils, `cksum -a`, b3sum and
// xxhsum:
//
//   hex, two blanks, name          or a blank and `*` for "binary", which has the same meaning
//   XXH3_hex, two blanks, name     only read (xxhsum 0.8.2 and later)
//   SHA256 (name) = hex            --tag, as BSD; only read: `SHA256(name)= hex` (OpenSSL) and
//                                  the forms `SHA1  (name) =` (rhash) and `XXH64_LE` (xxhsum)
//   hex, one blank, name           only read (`md5 -r` of BSD)
//   name, blank, CRC-32            only read: SFV, where `;` begins a comment
//
// The digest may be base64 (`cksum --base64`) where hex is read, except in SFV.
//
// Backslashes, newlines and carriage returns in names are escaped, and the line then begins with a
// backslash. With --zero lines end in NUL and nothing is escaped. A name that is not UTF-8 is a
// Buffer and is written unchanged.

'use strict';

/**
 * Tags of coreutils, b3sum, xxhsum and BSD that are not the algorithm's name in capitals.
 */
const tags = {
  blake2b512: 'BLAKE2b',
  blake2s256: 'BLAKE2s',
  'xxh3-64': 'XXH3',
  'xxh3-128': 'XXH128',
  'md5-sha1': 'MD5-SHA1',
};

const tagOf = (algorithm) => tags[algorithm] ?? algorithm.toUpperCase();

/**
 * @param {string | Buffer} name
 * @param {string} hex
 * @param {{ tag?: string, zero?: boolean, binary?: boolean, quoted?: boolean }} form `quoted`:
 *   the name needs no escaping
 * @returns {string | Buffer}
 */
function checksumLine(name, hex, { tag, zero, binary, quoted }) {
  if (typeof name !== 'string')
    return bytesOf(checksumLine(name.toString('latin1'), hex, { tag, zero, binary }));
  const end = zero ? '\0' : '\n';
  const escaped = !zero && !quoted && /[\\\n\r]/.test(name);
  const written = escaped ? escape(name) : name;
  const mark = escaped ? '\\' : '';
  return tag === undefined
    ? `${mark}${hex} ${binary ? '*' : ' '}${written}${end}`
    : `${mark}${tag} (${written}) = ${hex}${end}`;
}

/** Returns the bytes of a line that was written with one character for each byte of the name. */
const bytesOf = (line) => Buffer.from(line, 'latin1');

const escape = (name) =>
  name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');

/**
 * Formats a line of a check's report. Like coreutils it escapes a name only if it has a newline.
 */
function reportLine(name, verdict) {
  if (typeof name !== 'string') return bytesOf(reportLine(name.toString('latin1'), verdict));
  return name.includes('\n') ? `\\${escape(name)}: ${verdict}\n` : `${name}: ${verdict}\n`;
}

/**
 * Reads a checksum file.
 *
 * @param {Buffer} bytes
 * @param {(tag: string | undefined, size: number) => object | undefined} algorithmOf finds the
 *   algorithm of a line by its tag and the bytes of its digest
 * @returns {({ name?: string | Buffer, digest?: string, about?: any, improper?: true } |
 *   undefined)[]} one element a line, undefined for comments and empty lines
 */
function readChecksums(bytes, algorithmOf) {
  // Latin-1 maps each byte to one character, so that every name survives.
  const lines = bytes.toString('latin1').split('\n');
  // True if one blank separates digest and name. As in coreutils, the first untagged line decides.
  let oneBlank;
  const crc32 = algorithmOf('CRC32', 4);
  return lines.map((raw) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === '' || line.startsWith('#')) return undefined;
    if (crc32 !== undefined && line.startsWith(';')) return undefined;
    const [, escaped, rest] = /^[ \t]*(\\?)(.*)$/s.exec(line);
    const tagged = /^([A-Za-z0-9/_-]+?)(_LE)? *\((.*)\)[ \t]*=[ \t]*(\S+)$/s.exec(rest);
    let name = tagged?.[3];
    let found = tagged && readDigest(tagged[4], tagged[1], algorithmOf);
    if (found && tagged[2] !== undefined)
      found.digest = Buffer.from(found.digest, 'hex').reverse().toString('hex');
    const plain = found ? null : /^(XXH3_)?(\S+)[ \t](.+)$/s.exec(rest);
    if (plain !== null) {
      found = readDigest(plain[2], plain[1] && 'XXH3', algorithmOf);
      name = plain[3];
      const marked = name.length > 1 && /^[ *]/.test(name);
      if (found) {
        if (!marked && oneBlank === false) return { improper: true };
        oneBlank ??= !marked;
      }
      if (marked && !oneBlank) name = name.slice(1);
    }
    if (found && escaped) name = unescape(name);
    const sfv = found || !crc32 ? null : /^(.*\S)[ \t]+([0-9A-Fa-f]{8})$/s.exec(line);
    if (sfv !== null) {
      name = sfv[1];
      found = { digest: sfv[2].toLowerCase(), about: crc32 };
    }
    return found && name ? { name: fromLatin1(name), ...found } : { improper: true };
  });
}

/** Reads hex or base64; returns undefined if it is no digest of the algorithm. */
function readDigest(text, tag, algorithmOf) {
  for (const encoding of /** @type {const} */ (['hex', 'base64'])) {
    const bytes = Buffer.from(text, encoding);
    if (bytes.length === 0 || !isWritten(bytes, text, encoding)) continue;
    const about = algorithmOf(tag, bytes.length);
    if (about !== undefined) return { digest: bytes.toString('hex'), about };
  }
  return undefined;
}

/** Returns true if `text` is exactly these bytes: Buffer.from skips what it cannot read. */
const isWritten = (bytes, text, encoding) =>
  bytes.toString(encoding) === (encoding === 'hex' ? text.toLowerCase() : text);

/** Returns undefined if a backslash precedes any other character. */
function unescape(name) {
  if (/(?:^|[^\\])(?:\\\\)*\\(?:[^\\nr]|$)/s.test(name)) return undefined;
  return name.replace(/\\([\\nr])/g, (_, letter) => ({ n: '\n', r: '\r', '\\': '\\' })[letter]);
}

/** Returns text if the name is UTF-8, else its bytes. */
function fromLatin1(name) {
  if (!/[\x80-\xff]/.test(name)) return name;
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : bytes;
}

/** Joins lines, some of which may be bytes. */
function joinLines(lines) {
  return lines.every((line) => typeof line === 'string')
    ? lines.join('')
    : Buffer.concat(lines.map((line) => Buffer.from(line)));
}

module.exports = { checksumLine, joinLines, readChecksums, reportLine, tagOf };
