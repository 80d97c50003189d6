// The lines of checksum files, written and read, byte by byte as coreutils, `cksum -a` and b3sum do
// it:
//
//   hex, two blanks, name          or a blank and `*` for "binary", which is the same thing here
//   SHA256 (name) = hex            --tag, the form of BSD; also OpenSSL's `SHA256(name)= hex`, read only
//   hex, one blank, name           read only (`md5 -r` of BSD)
//
// A name with a backslash, newline or carriage return is written with `\\`, `\n`, `\r`, and the
// line then begins with a backslash. With --zero lines end in NUL and nothing is escaped. A name
// that is not UTF-8 is a Buffer, and goes out as it came.

'use strict';

/**
 * What coreutils, b3sum, xxhsum or BSD call an algorithm in a tag, where that is not its name in
 * capitals.
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
 * @param {{ tag?: string, zero?: boolean, binary?: boolean, quoted?: boolean }} form `quoted`: the
 * name is shown to people as it is
 * @returns {string | Buffer}
 */
function checksumLine(name, hex, { tag, zero, binary, quoted }) {
  if (typeof name !== 'string')
    return Buffer.from(checksumLine(name.latin1Slice(), hex, { tag, zero, binary }), 'latin1');
  const end = zero ? '\0' : '\n';
  const escaped = !zero && !quoted && /[\\\n\r]/.test(name);
  const written = escaped ? escape(name) : name;
  const mark = escaped ? '\\' : '';
  return tag === undefined
    ? `${mark}${hex} ${binary ? '*' : ' '}${written}${end}`
    : `${mark}${tag} (${written}) = ${hex}${end}`;
}

const escape = (name) =>
  name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');

/**
 * What follows a name in the report of a check, the name as coreutils shows it there: with a
 * newline in it, escaped.
 */
function reportLine(name, verdict) {
  if (typeof name !== 'string')
    return Buffer.from(reportLine(name.latin1Slice(), verdict), 'latin1');
  return name.includes('\n') ? `\\${escape(name)}: ${verdict}\n` : `${name}: ${verdict}\n`;
}

/**
 * Reads a checksum file.
 *
 * @param {Buffer} bytes
 * @param {(tag: string | undefined, size: number) => object | undefined} algorithmOf what a line
 * with this tag (none: undefined) and so many
 *   bytes of digest is about; undefined if it cannot be
 * @returns {({ name: string | Buffer, digest: string, about: object } | { improper: true })[]} by
 * line, comments and empty lines as holes
 */
function readChecksums(bytes, algorithmOf) {
  // As Latin-1: one character a byte, so that every name comes through.
  const lines = bytes.latin1Slice().split('\n');
  // Whether names stand right behind one blank: the first line that has no tag decides, as it does
  // in coreutils.
  let oneBlank;
  return lines.map((raw) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === '' || line.startsWith('#')) return undefined;
    const [, escaped, rest] = /^[ \t]*(\\?)(.*)$/s.exec(line);
    const tagged = /^([A-Za-z0-9/_-]+) ?\((.*)\)[ \t]*=[ \t]*([0-9A-Fa-f]+)$/s.exec(rest);
    let [tag, name, digest] = tagged?.slice(1) ?? [];
    if (tagged === null) {
      const plain = /^([0-9A-Fa-f]+)[ \t](.+)$/s.exec(rest);
      if (plain === null) return { improper: true };
      [, digest, name] = plain;
      const marked = name.length > 1 && /^[ *]/.test(name);
      if (algorithmOf(undefined, digest.length / 2) !== undefined) {
        if (!marked && oneBlank === false) return { improper: true };
        oneBlank ??= !marked;
      }
      if (marked && !oneBlank) name = name.slice(1);
    }
    if (digest.length % 2 !== 0) return { improper: true };
    const about = algorithmOf(tag, digest.length / 2);
    if (escaped) name = unescape(name);
    if (about === undefined || name === undefined || name === '') return { improper: true };
    return { name: fromLatin1(name), digest: digest.toLowerCase(), about };
  });
}

/** Undefined if a backslash stands before anything else. */
function unescape(name) {
  if (/(?:^|[^\\])(?:\\\\)*\\(?:[^\\nr]|$)/s.test(name)) return undefined;
  return name.replace(/\\([\\nr])/g, (_, letter) => ({ n: '\n', r: '\r', '\\': '\\' })[letter]);
}

/** Text if it is UTF-8, else the bytes. */
function fromLatin1(name) {
  if (!/[\x80-\xff]/.test(name)) return name;
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : bytes;
}

/** Lines, some of which may be bytes, as one piece of output. */
function joinLines(lines) {
  return lines.every((line) => typeof line === 'string')
    ? lines.join('')
    : Buffer.concat(lines.map((line) => Buffer.from(line)));
}

module.exports = { checksumLine, joinLines, readChecksums, reportLine, tagOf };
