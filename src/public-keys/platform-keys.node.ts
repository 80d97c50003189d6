/** Asymmetric KeyObjects of node:crypto and CryptoKeys of WebCrypto. */
import { types } from 'node:util';
import type { Secret } from '../base/secret-memory.js';

/** A key of the platform, which can be exported. */
interface PlatformKey {
  /** An object of the platform with a key that never changes, by which the key can be kept. */
  readonly handle: object;
  readonly isPrivate: boolean;
  /** Returns a copy of the key in DER, which the caller wipes. */
  readonly export: () => Secret;
}

/** The KeyObjects of one type. */
interface Kind {
  readonly isPrivate: boolean;
  /** That of KeyObjects. */
  readonly prototype: object;
  /** The place of the handle in them; later versions of Node.js have it in a private place. */
  readonly symbol: symbol | undefined;
  /** That of handles. */
  readonly handlePrototype: object | null;
  readonly export: (key: object) => Secret;
}

const { getPrototypeOf } = Object;
let kinds: readonly Kind[] | undefined;

/**
 * Returns an asymmetric KeyObject or CryptoKey, a message if the key cannot be exported, or
 * undefined for other values. A forged one is none: only what node:crypto made is read.
 */
export function platformKey(value: unknown): PlatformKey | string | undefined {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return undefined;
  try {
    if (types.isCryptoKey(value)) {
      const refused = refusal(value);
      if (refused !== undefined) return refused;
      const { KeyObject } = require('node:crypto') as typeof import('node:crypto');
      return found(KeyObject.from(value as never), value);
    }
    return types.isKeyObject(value) ? found(value, value) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why a CryptoKey cannot be exported. */
function refusal(key: object): string | undefined {
  // The prototype's getters: an own property must not make a key extractable.
  const { prototype } = (globalThis as unknown as { CryptoKey: { prototype: object } }).CryptoKey;
  if (Reflect.get(prototype, 'type', key) === 'secret')
    return 'a public or private CryptoKey, not a secret one';
  if (Reflect.get(prototype, 'extractable', key) === true) return undefined;
  return 'an extractable CryptoKey: this one signs or decrypts by crypto.subtle only';
}

/** Returns the key in a KeyObject; `owner` is the caller's object. */
function found(key: object, owner: object): PlatformKey | string | undefined {
  kinds ??= findKinds();
  const prototype = getPrototypeOf(key) as object;
  const kind = kinds.find((each) => each.prototype === prototype);
  if (kind === undefined)
    return (key as { type?: unknown }).type === 'secret'
      ? 'a public or private KeyObject, not a secret one'
      : undefined;
  const { isPrivate, symbol, handlePrototype } = kind;
  if (symbol === undefined) return { handle: owner, isPrivate, export: () => kind.export(key) };
  const handle = (key as Record<symbol, object>)[symbol]!;
  if (getPrototypeOf(handle) !== handlePrototype) return undefined;
  return {
    handle,
    isPrivate,
    // Another object with the handle: the caller's may have properties.
    export: () =>
      kind.export(
        Object.create(prototype, {
          [symbol]: { __proto__: null, value: handle } as PropertyDescriptor,
        }) as object,
      ),
  };
}

/** Learns of KeyObjects from two. Called once there is a key: node:crypto is loaded. */
function findKinds(): Kind[] {
  const { createPrivateKey, createPublicKey } =
    require('node:crypto') as typeof import('node:crypto');
  // An Ed25519 key: 32 zeros.
  const key = Buffer.from(`302e020100300506032b657004220420${'0'.repeat(64)}`, 'hex');
  const sample = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  return [sample, createPublicKey(sample)].map((each) => {
    const isPrivate = each.type === 'private';
    const prototype = getPrototypeOf(each) as { export: (options: object) => Buffer };
    const symbol = Object.getOwnPropertySymbols(each).find(
      (name) => typeof (each as never)[name] === 'object',
    );
    const call = Function.prototype.call.bind(prototype.export) as (
      key: object,
      options: object,
    ) => Secret;
    const options = {
      __proto__: null,
      format: 'der',
      type: isPrivate ? 'pkcs8' : 'spki',
      cipher: undefined,
      passphrase: undefined,
    };
    return {
      isPrivate,
      prototype,
      symbol,
      handlePrototype:
        symbol === undefined ? null : (getPrototypeOf((each as never)[symbol]) as object),
      export: (from) => call(from, options),
    };
  });
}
