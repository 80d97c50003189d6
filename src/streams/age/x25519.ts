/** Wrapping the key of an age file by an agreement of X25519, also for SSH keys of Ed25519. */
import { joined } from '../../base/arguments.js';
import { MillraceError } from '../../base/errors.js';
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { diffieHellmanParser } from '../../operations/agreement.js';
import type { PrivateKey } from '../../public-keys/key-objects.js';
import { createPrivateKey } from '../../public-keys/keys.js';
import { runPromise } from '../../scheduling/run.js';
import type { Buffer } from '#platform/base/runtime.js';
import { TAG_SIZE } from '../chunk-format.js';
import { unwrapFileKey, wrapFileKey } from './format.js';
import { decode, encode, FILE_KEY_SIZE, deriveKey, malformed, type Stanza } from './header.js';

/** Wraps file keys. */
export interface Recipient {
  /** Resists quantum computers: it cannot be mixed with others that do not. */
  readonly isPostQuantum: boolean;
  wrap(fileKey: Secret<Uint8Array>): Promise<Stanza>;
}

/** Unwraps file keys. */
export interface Identity {
  /**
   * Resolves to the file key, or undefined if the stanza is not for this identity.
   *
   * @throws MillraceError ERR_FORMAT if it is malformed
   */
  unwrap(stanza: Stanza): Promise<Secret<Uint8Array> | undefined>;
  dispose(): void;
}

/** The bytes of a wrapped file key, unless RSA wraps it. */
export const WRAPPED_SIZE = FILE_KEY_SIZE + TAG_SIZE;
export const KEY_SIZE = 32;

/** Both sides of an agreement by X25519. */
export interface Agreement {
  readonly type: string;
  /** The context of the wrapping key. */
  readonly label: string;
  /** The recipient's public key. */
  readonly publicKey: Uint8Array;
  /** Words before the share of an SSH key's stanza. */
  readonly args: readonly string[];
  /** What the shared secret is multiplied by, for SSH keys. */
  readonly tweak: Uint8Array | undefined;
}

/** Returns a recipient by an agreement. */
export function x25519Recipient(agreement: Agreement): Recipient {
  return { isPostQuantum: false, wrap: (fileKey) => wrapX25519(agreement, fileKey) };
}

/** Wraps with an ephemeral key. */
async function wrapX25519(agreement: Agreement, fileKey: Secret<Uint8Array>): Promise<Stanza> {
  const ephemeral = randomSecret(KEY_SIZE);
  const privateKey = privateX25519(ephemeral);
  try {
    const share = privateKey.publicKey().export({ format: 'raw' });
    const shared = await agree(privateKey, agreement.publicKey);
    const wrapKey = await wrapKeyOf(agreement, shared, share);
    const { type, args } = agreement;
    return { type, args: [...args, encode(share)], body: wrapFileKey(wrapKey, fileKey) };
  } finally {
    wipe(ephemeral);
    privateKey.dispose();
  }
}

/** Unwraps what {@link wrapX25519} wrapped. */
async function unwrapX25519(
  agreement: Agreement,
  privateKey: PrivateKey,
  { args, body }: Stanza,
): Promise<Secret<Uint8Array> | undefined> {
  const share = shareOf(agreement.type, args, agreement.args.length, body, KEY_SIZE);
  if (!agreement.args.every((arg, index) => arg === args[index])) return undefined;
  const shared = await fromOther(() => agree(privateKey, share));
  return unwrapFileKey(await wrapKeyOf(agreement, shared, share), body);
}

/** Returns the last argument of a stanza with a body of the usual size, after `before` others. */
export function shareOf(
  type: string,
  args: readonly string[],
  before: number,
  body: Uint8Array,
  size: number,
): Buffer {
  const share = args.length === before + 1 ? decode(args[before]!) : undefined;
  if (share?.length !== size || body.length !== WRAPPED_SIZE)
    throw malformed(`the recipient ${type} has a share or a key of another size`);
  return share;
}

/** Reports a share that is no key of X25519, or of small order, as a malformed header. */
export async function fromOther<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'ERR_KEY_INVALID')
      throw malformed('the share of a recipient is not a usable key');
    throw error;
  }
}

/** Derives the key that wraps a file key, and wipes the shared secret. */
async function wrapKeyOf(
  { label, publicKey, tweak }: Agreement,
  shared: Secret<Buffer>,
  share: Uint8Array,
): Promise<Secret<Buffer>> {
  let secret = shared;
  if (tweak !== undefined) {
    const factor = privateX25519(tweak);
    secret = await agree(factor, shared).finally(() => wipe(shared));
    factor.dispose();
  }
  try {
    return deriveKey(secret, joined([share, publicKey], secretResult), label);
  } finally {
    wipe(secret);
  }
}

export function privateX25519(key: Uint8Array): PrivateKey {
  return createPrivateKey({ key, format: 'raw', algorithm: 'x25519' });
}

async function agree(privateKey: PrivateKey, peer: Uint8Array): Promise<Secret<Buffer>> {
  const publicKey = { key: peer, format: 'raw', algorithm: 'x25519' };
  const given = [{ privateKey, publicKey }];
  return (await runPromise(undefined, diffieHellmanParser.fill, given, 1)) as Secret<Buffer>;
}

/** Returns random bytes, without node:crypto, which takes longer to load than this package. */
export function randomSecret(size: number): Secret {
  return globalThis.crypto.getRandomValues(secretMemory(size));
}

/** Returns the identity of a key of X25519, for the stanzas of an agreement. */
export function x25519Identity(
  privateKey: PrivateKey,
  agreementOf: (publicKey: Uint8Array) => Agreement,
): Identity {
  const agreement = agreementOf(privateKey.publicKey().export({ format: 'raw' }));
  return {
    async unwrap(stanza) {
      if (stanza.type !== agreement.type) return undefined;
      return unwrapX25519(agreement, privateKey, stanza);
    },
    dispose: () => privateKey.dispose(),
  };
}
