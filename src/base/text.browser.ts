/**
 * Text from bytes and back in the encodings of Node's Buffer, with the same results: characters
 * outside the encoding are skipped or end the text, as there.
 */
import { hexOf } from './hex.js';
import type { FreshBytes } from './platform-types.js';

/** The encodings, with one name each. */
export type TextEncodingName =
  'utf8' | 'hex' | 'base64' | 'base64url' | 'latin1' | 'ascii' | 'utf16le';

const names: Readonly<Record<string, TextEncodingName | undefined>> = {
  __proto__: null as never,
  utf8: 'utf8',
  'utf-8': 'utf8',
  hex: 'hex',
  base64: 'base64',
  base64url: 'base64url',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
};

/** Returns the encoding of a name in any case. */
export function encodingOf(name: string): TextEncodingName | undefined {
  return names[String(name).toLowerCase()];
}

/** The most bytes for one call with spread arguments. */
const STEP = 8192;

function lettersOf(bytes: Uint8Array, mask = 0xff): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) {
    const part = bytes.subarray(at, at + STEP);
    text += String.fromCharCode(...(mask === 0xff ? part : part.map((byte) => byte & mask)));
  }
  return text;
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(lettersOf(bytes));
}

/** Returns bytes as text; callers derive base64url from base64. */
export function textIn(
  bytes: Uint8Array,
  encoding: Exclude<TextEncodingName, 'base64url'>,
): string {
  switch (encoding) {
    case 'utf8':
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    case 'hex':
      return hexOf(bytes);
    case 'base64':
      return base64Of(bytes);
    case 'latin1':
      return lettersOf(bytes);
    case 'ascii':
      return lettersOf(bytes, 0x7f);
    case 'utf16le':
      return lettersOf16(bytes);
  }
}

/** Keeps lone surrogates, which TextDecoder would replace. */
function lettersOf16(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2)
    text += String.fromCharCode(bytes[at]! | (bytes[at + 1]! << 8));
  return text;
}

/** Returns the bytes of an encoded text. */
export function bytesOfEncoded(text: string, encoding: TextEncodingName): FreshBytes {
  switch (encoding) {
    case 'utf8':
      return new TextEncoder().encode(text);
    case 'hex':
      return bytesOfHex(text);
    case 'base64':
    case 'base64url':
      return bytesOfBase64(text);
    case 'latin1':
    case 'ascii':
      return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    case 'utf16le':
      return Uint8Array.from(
        { length: 2 * text.length },
        (_, at) => text.charCodeAt(at >> 1) >> (8 * (at & 1)),
      );
  }
}

function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length >> 1);
  for (let at = 0; at < bytes.length; at++) {
    const pair = text.slice(2 * at, 2 * at + 2);
    if (!/^[\da-f]{2}$/i.test(pair)) return bytes.slice(0, at);
    bytes[at] = parseInt(pair, 16);
  }
  return bytes;
}

/** Accepts both alphabets; padding ends the text, other characters are skipped. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const end = text.indexOf('=');
  const letters = (end < 0 ? text : text.slice(0, end))
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    .replace(/[^A-Za-z\d+/]/g, '');
  // A single character holds no whole byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
  const decoded = atob(whole);
  return Uint8Array.from({ length: decoded.length }, (_, at) => decoded.charCodeAt(at));
}
