/**
 * The armor of age: strict PEM (RFC 7468), in lines of 64 characters. White space is accepted
 * before and after it, and CR LF as the end of a line.
 */
import { joined, part, sizeOf } from '../../base/arguments.js';
import { makeError } from '../../base/errors.js';
import { allocateApart, base64, bytesOfText, utf8, type Buffer } from '#platform/base/runtime.js';
import type { OutputSink } from '../chunk-pump.js';
import { latin1, notAge, view } from './header.js';

const BEGIN = '-----BEGIN AGE ENCRYPTED FILE-----';
const END = '-----END AGE ENCRYPTED FILE-----';
const COLUMNS = 64;
/** Bytes of a line. */
const LINE_BYTES = 48;
/** Lines that are converted at once: their texts stay in the cache. */
const LINES_MAX = 2048;
const LINE_FEED = 10;
/** The most bytes of a line that is no data, and of white space around the armor. */
const OTHER_MAX_BYTES = 1024;

/** Decodes armor that arrives in parts. */
export class ArmorReader {
  /** An incomplete line. */
  #rest: Uint8Array = new Uint8Array(0);
  #place: 'before' | 'inside' | 'after' = 'before';
  /** A line was short or had padding: only the end may follow. */
  #short = false;
  #spaces = 0;

  /**
   * Returns the bytes of complete lines.
   *
   * @throws MillraceError ERR_FORMAT
   */
  decode(input: Uint8Array): Uint8Array {
    const text = this.#rest.length === 0 ? input : joined([this.#rest, input], allocateApart);
    const outputs: Uint8Array[] = [];
    let at = 0;
    while (at < sizeOf(text)) {
      const lines = this.#place === 'inside' && !this.#short ? wholeLines(text, at) : 0;
      if (lines > 0) {
        outputs.push(this.#lines(text, at, lines));
        at += lines * (COLUMNS + 1);
        continue;
      }
      const end = text.indexOf(LINE_FEED, at);
      if (end < 0) break;
      outputs.push(this.#line(latin1(part(text, at, end - at)).replace(/\r$/, '')));
      at = end + 1;
    }
    // Copied: the input is the caller's.
    this.#rest = joined([part(text, at, sizeOf(text) - at)], allocateApart);
    if (this.#rest.length > OTHER_MAX_BYTES) throw this.#malformed('a line is too long');
    return joined(outputs, allocateApart);
  }

  /**
   * Checks that the armor is complete.
   *
   * @throws MillraceError ERR_FORMAT, ERR_TRUNCATED
   */
  finish(): void {
    if (this.#rest.length > 0) this.#line(latin1(this.#rest));
    if (this.#place !== 'after')
      throw makeError('ERR_TRUNCATED', `the armor of the age file has no ${END}`);
  }

  /** Decodes lines of 64 characters. */
  #lines(text: Uint8Array, at: number, count: number): Uint8Array {
    const digits = allocateApart(count * (COLUMNS + 1));
    digits.set(part(text, at, digits.length));
    for (let line = 1; line < count; line++) {
      const from = line * (COLUMNS + 1);
      digits.copyWithin(from - line, from, from + COLUMNS);
    }
    return this.#decoded(latin1(part(digits, 0, count * COLUMNS)), count * LINE_BYTES);
  }

  #line(text: string): Uint8Array {
    const none = allocateApart(0);
    if (this.#place !== 'inside' && /^[\t\n\v\f\r ]*$/.test(text)) {
      this.#spaces += text.length + 1;
      if (this.#spaces > OTHER_MAX_BYTES) throw this.#malformed('white space surrounds it');
      return none;
    }
    if (this.#place === 'before') {
      // White space may precede the first line.
      if (text.trimStart() !== BEGIN) throw notAge();
      this.#place = 'inside';
      return none;
    }
    if (this.#place === 'after') throw this.#malformed('data follows it');
    if (text.trimEnd() === END) {
      this.#place = 'after';
      return none;
    }
    if (text === '' || text.length > COLUMNS || text.length % 4 !== 0 || this.#short)
      throw this.#malformed('a line is empty, too long, or follows a shorter one');
    this.#short = text.length < COLUMNS;
    return this.#decoded(text, (text.length / 4) * 3);
  }

  /** Decodes digits of `size` bytes, or of up to two fewer, with padding. */
  #decoded(text: string, size: number): Uint8Array {
    const bytes = bytesOfText(text, 'base64');
    if (base64(bytes) !== text) throw this.#malformed('it has characters that are not base64');
    if (bytes.length < size) this.#short = true;
    return bytes;
  }

  #malformed(what: string): Error {
    return makeError('ERR_FORMAT', `the armor of the age file is malformed: ${what}`);
  }
}

/** Returns the number of lines of 64 characters from `at`, or {@link LINES_MAX} if it is less. */
function wholeLines(text: Uint8Array, at: number): number {
  let lines = 0;
  for (let end = at + COLUMNS; lines < LINES_MAX && text[end] === LINE_FEED; end += COLUMNS + 1)
    lines += 1;
  return lines;
}

/** Puts armored output. {@link ArmorWriter.finish} must follow. */
export class ArmorWriter implements OutputSink {
  readonly #sink: OutputSink;
  readonly room = undefined;
  readonly fail: (error: Error) => void;
  #rest: Uint8Array = allocateApart(0);
  #begun = false;

  constructor(sink: OutputSink) {
    this.#sink = sink;
    this.fail = (error) => sink.fail(error);
  }

  put(output: Buffer): boolean {
    const bytes = joined([this.#rest, output], allocateApart);
    const lines = Math.floor(bytes.length / LINE_BYTES);
    this.#rest = bytes.subarray(lines * LINE_BYTES);
    if (lines === 0 && this.#begun) return true;
    const begin = this.#begun ? allocateApart(0) : utf8(`${BEGIN}\n`);
    this.#begun = true;
    const text = allocateApart(begin.length + lines * (COLUMNS + 1));
    text.set(begin);
    for (let first = 0; first < lines; first += LINES_MAX) {
      const next = Math.min(first + LINES_MAX, lines);
      const digits = base64(bytes.subarray(first * LINE_BYTES, next * LINE_BYTES));
      // To the end of their place, from which each line then moves to its own.
      const end = begin.length + next * (COLUMNS + 1);
      text.set(bytesOfText(digits, 'latin1'), end - digits.length);
      for (let line = first; line < next; line++) {
        const at = begin.length + line * (COLUMNS + 1);
        const from = end - (next - line) * COLUMNS;
        text.copyWithin(at, from, from + COLUMNS);
        text[at + COLUMNS] = LINE_FEED;
      }
    }
    return this.#sink.put(text);
  }

  /** Puts the last lines. */
  finish(): void {
    const rest = base64(view(this.#rest));
    this.#sink.put(utf8(`${rest}${rest === '' ? '' : '\n'}${END}\n`));
  }
}
