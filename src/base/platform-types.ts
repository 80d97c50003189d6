/**
 * Types of the platform that declarations name without @types/node: what is global in browsers and
 * in Node.js is found there, by its name or by what has it.
 */

declare global {
  // Merged with the interfaces of the DOM's types or of @types/node. Without both an empty one
  // would accept every value as an argument.
  interface AbortSignal {
    readonly aborted: boolean;
  }
  interface Blob {
    readonly size: number;
  }
  interface ReadableStream<R> {
    readonly locked: boolean;
  }
  interface TransformStream<I, O> {}
  interface URL {
    readonly origin: string;
  }
}

/** Bytes in new memory: `Uint8Array<ArrayBuffer>`, and Uint8Array before TypeScript 5.7. */
export type FreshBytes = ReturnType<Uint8Array['slice']>;

/** The key, Crypto and SubtleCrypto of millrace/webcrypto. */
export type PlatformCrypto = typeof globalThis extends { crypto: infer C } ? C : any;
export type PlatformSubtle = PlatformCrypto extends { subtle: infer S } ? S : any;
export type PlatformKey = PlatformSubtle extends {
  sign(algorithm: any, key: infer K, data: any): unknown;
}
  ? K
  : any;

/** The encodings of Node's Buffer. */
export type BufferEncoding =
  | 'ascii'
  | 'utf8'
  | 'utf-8'
  | 'utf16le'
  | 'utf-16le'
  | 'ucs2'
  | 'ucs-2'
  | 'base64'
  | 'base64url'
  | 'latin1'
  | 'binary'
  | 'hex';
