// What every export of every entry point returns: bytes in an ArrayBuffer, which Blob, fetch and
// WebCrypto take, not in ArrayBufferLike.

import type { Duplex } from 'node:stream';

import * as millrace from 'millrace';
import * as bigintBuffer from 'millrace/bigint-buffer';
import * as bigintHash from 'millrace/bigint-hash';
import * as cryptoAsync from 'millrace/crypto-async';
import * as nobleCiphers from 'millrace/noble-ciphers';
import * as nobleHashes from 'millrace/noble-hashes';
import * as portable from 'millrace/portable';
import * as promises from 'millrace/promises';

import { is } from './equal.mjs';

/** The paths of bytes in ArrayBufferLike, through members and results of functions. */
type Shared<T, Path extends string, Depth extends number = 7> = 0 extends Depth | (1 & T)
  ? never
  : T extends Leaf
    ? never
    : T extends ArrayBufferView
      ? Path
      : T extends Promise<infer Value>
        ? Shared<Value, Path, Depth>
        : | (T extends (...given: any) => any ? Shared<Result<T>, `${Path}()`, Less[Depth]> : never)
          | {
              [Name in Own<T>]: Shared<T[Name], `${Path}.${Name}`, Less[Depth]>;
            }[Own<T>];
type Leaf =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | ArrayBuffer
  | ArrayBufferView<ArrayBuffer>
  | Duplex
  | TransformStream;
type Own<T> = Exclude<keyof T, keyof Duplex> & string;
/** The results of up to four overloads. */
type Result<T> = T extends {
  (...given: any): infer A;
  (...given: any): infer B;
  (...given: any): infer C;
  (...given: any): infer D;
}
  ? A | B | C | D
  : T extends (...given: any) => infer R
    ? R
    : never;
type Less = [0, 0, 1, 2, 3, 4, 5, 6];

declare const shared:
  | Shared<typeof millrace, 'millrace', 5>
  | Shared<typeof promises, 'promises', 5>
  | Shared<typeof portable, 'portable'>
  | Shared<typeof bigintBuffer, 'bigintBuffer'>
  | Shared<typeof bigintHash, 'bigintHash'>
  | Shared<typeof cryptoAsync, 'cryptoAsync'>
  | Shared<typeof nobleCiphers.v1, 'noble-ciphers'>
  | Shared<typeof nobleCiphers.v2, 'noble-ciphers'>
  | Shared<typeof nobleHashes.v1, 'noble-hashes'>
  | Shared<typeof nobleHashes.v2, 'noble-hashes'>;
// A view of the caller's memory.
is<'noble-ciphers.utils.u16()'>()(shared);

// The tool itself must be able to fail.
declare const found: Shared<
  {
    a: () => Promise<{ b(c: string): Uint8Array }>;
    d: { e(): void; f: Buffer };
    g: Buffer<ArrayBuffer>;
  },
  'root'
>;
is<'root.a().b()' | 'root.d.f'>()(found);
