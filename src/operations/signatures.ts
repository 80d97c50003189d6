/** sign and verify: from arguments to a request. */
import {
  argument,
  data,
  findBytes,
  findData,
  range,
  sizeOf,
  sizeOfFound,
} from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { At, frame, Operation } from '../base/frame.js';
import { shownName } from '../base/nearest.js';
import {
  signatureParameterNames,
  signOptionNames,
  targetOptionNames,
  verifyOptionNames,
} from '../base/option-names.js';
import { NO_HASH, PublicKeyAlgorithm, SignatureScheme } from '../base/protocol.js';
import { FIELD_BYTES, type ByAlgorithm, type HeldKey } from '../public-keys/held-key.js';
import { readPrivateKey, readPublicKey } from '../public-keys/keys.js';
import { Form, setFinish, setResult, setTag, type Parser } from '../request/request.js';
import { encodeResult } from '../request/result.js';
import { digestForm, readPlace } from './hash.js';
import {
  beginWithKey,
  hashNumber,
  keyTable,
  parserFor,
  readCallOptions,
  readChoice,
  readKeyObject,
  refuseOthers,
  setExtra,
  setOutput,
  wrongKey,
  type Options,
} from './public-key-arguments.js';
import type { Buffer } from '#platform/base/runtime.js';

export const signParser: Parser = parserFor(
  'sign',
  'algorithm, data, key',
  fillSign,
  signOptionNames,
  targetOptionNames,
);

export const verifySignatureParser: Parser = parserFor(
  'verify',
  'algorithm, data, key, signature',
  fillVerify,
  verifyOptionNames,
);

const table = keyTable('sign and verify', signatureParameterNames);
const parameters = signatureParameterNames.split(' ');

/**
 * The most bytes of a signature; 0 for RSA and for keys that sign nothing. ECDSA's is in DER.
 */
const SIZES: ByAlgorithm = [64, 0, 72, 104, 139, 0, 0, 0, 0, 0, 2420, 3309, 4627, 0];

/** The salt length of PSS in the frame, for its names. */
const SALTS = { digest: -1, max: -2, auto: -3 };

function fillSign(given: ArrayLike<unknown>, options: Options): void {
  const { encoding, target, targetOffset } = options;
  const form = digestForm(encoding, Form.Buffer);
  const place = readPlace(target, targetOffset, encoding);
  const { held, scheme } = fill(false, given, options);
  const size = signatureSize(held, scheme);
  if (place !== undefined) range(place.targetOffset, size, sizeOf(place.target), 'target');
  if (scheme !== SignatureScheme.EcdsaDer) {
    setOutput(size, form, place);
    return;
  }
  setOutput(size + 2, Form.Sized, place);
  if (form !== Form.Buffer)
    setFinish({ succeed: (made) => encodeResult(made as Buffer, form), fail: undefined });
}

function fillVerify(given: ArrayLike<unknown>, options: Options): void {
  const signature = findBytes(argument(given, 3), 'signature');
  fill(true, given, options);
  setTag(signature, 0, sizeOfFound(signature, 'signature'));
  setResult(1, Form.Verdict);
}

/** Fills the request but for the signature; the key is read last. */
function fill(
  verifies: boolean,
  given: ArrayLike<unknown>,
  rest: Options,
): { held: HeldKey; scheme: SignatureScheme } {
  const { key, options } = readKeyObject(argument(given, 2), rest, signatureParameterNames, table);
  const call = readCallOptions(options);
  const signing = readSigning(verifies, argument(given, 0), options);
  const message = findData(argument(given, 1), 'data');
  const held = verifies ? readPublicKey(key, 'key') : readPrivateKey(key, 'key');
  const scheme = schemeOf(signing, held, 'key');
  checkScheme(signing, held, scheme);
  const operation = verifies ? Operation.VerifySignature : Operation.Sign;
  beginWithKey(operation, signing.hash, message, 'data', held, call);
  setSigning(signing, held, scheme);
  return { held, scheme };
}

/** How messages are signed. */
export interface Signing {
  readonly algorithm: unknown;
  readonly options: Options;
  readonly hash: number;
  readonly mgf1: number;
  readonly salt: number | undefined;
  readonly isPss: boolean | undefined;
  readonly isP1363: boolean;
  readonly isDigest: boolean;
  readonly context: Uint8Array | undefined;
}

/** Reads the hash and the parameters. */
export function readSigning(verifies: boolean, algorithm: unknown, options: Options): Signing {
  const { padding, saltLength, mgf1Hash, dsaEncoding, context, digest = false } = options;
  const hash = hashNumber(algorithm ?? undefined, 'algorithm');
  const mgf1 = hashNumber(mgf1Hash, 'mgf1Hash');
  const salt = readSaltLength(saltLength, verifies);
  const isPss = padding === undefined ? undefined : readChoice(padding, 'padding', PADDINGS) > 1;
  const isP1363 = dsaEncoding !== undefined && readChoice(dsaEncoding, 'dsaEncoding', DSA) > 0;
  if (typeof digest !== 'boolean') throw wrongType('digest', 'a boolean', digest);
  return {
    algorithm,
    options,
    hash,
    mgf1,
    salt,
    isPss,
    isP1363,
    isDigest: digest,
    context: context === undefined ? undefined : data(context, 'context'),
  };
}

/** Checks that the parameters are those of a key. */
export function checkScheme(signing: Signing, held: HeldKey, scheme: SignatureScheme): void {
  refuseOthers(signing.options, parameters, takenBy(held, scheme), held.algorithm);
  checkHash(signing, held, scheme);
}

/** Sets the parameters of a request that has begun. */
export function setSigning(
  { hash, mgf1, salt, isDigest, context }: Signing,
  { restriction }: HeldKey,
  scheme: SignatureScheme,
): void {
  frame[At.Count] = scheme;
  frame[At.MessageSize] = salt ?? restriction?.saltLength ?? SALTS.auto;
  frame[At.MaxTime] = mgf1 !== NO_HASH ? mgf1 : (restriction?.mgf1Hash ?? hash);
  frame[At.SeedLow] = isDigest ? 1 : 0;
  setExtra(context, 'context');
}

const PADDINGS = ['pkcs1', 1, 'pss', 6];
const DSA = ['der', 'ieee-p1363'];

/** Returns the salt length for the frame; undefined without one. */
function readSaltLength(value: unknown, verifies: boolean): number | undefined {
  if (value === undefined) return undefined;
  if (value === 'digest' || value === 'max' || value === 'auto') return SALTS[value];
  const expected = "a number of bytes, 'digest', 'max' or 'auto'";
  if (typeof value !== 'number') {
    if (typeof value !== 'string') throw wrongType('saltLength', expected, value);
  } else if (Number.isInteger(value) && value >= -2 && value < 2 ** 31) {
    // The constant -2 of node:crypto means the most when signing, and any when verifying.
    return value === SALTS.max && verifies ? SALTS.auto : value;
  }
  const shown = typeof value === 'string' ? shownName(value, Object.keys(SALTS)) : value;
  throw makeError('ERR_ARGUMENT_VALUE', `saltLength must be ${expected}, not ${shown}`);
}

/** Returns how a key signs. Error messages name the key `argument`. */
export function schemeOf(
  { isPss, isP1363 }: Signing,
  held: HeldKey,
  argument: string,
): SignatureScheme {
  switch (held.algorithmNumber) {
    case PublicKeyAlgorithm.Rsa:
      return isPss ? SignatureScheme.RsaPss : SignatureScheme.RsaPkcs1;
    case PublicKeyAlgorithm.RsaPss:
      if (isPss !== false) return SignatureScheme.RsaPss;
      throw makeError('ERR_ARGUMENT_VALUE', "padding must be 'pss' for a key of rsa-pss");
    case PublicKeyAlgorithm.P256:
    case PublicKeyAlgorithm.P384:
    case PublicKeyAlgorithm.P521:
      return isP1363 ? SignatureScheme.EcdsaP1363 : SignatureScheme.EcdsaDer;
    default:
      if (SIZES[held.algorithmNumber] > 0) return SignatureScheme.Default;
      throw wrongKey(argument, held, 'an algorithm that signs');
  }
}

/** Returns the names of the parameters that a scheme takes. */
function takenBy({ algorithmNumber }: HeldKey, scheme: SignatureScheme): string {
  switch (scheme) {
    case SignatureScheme.Default:
      return algorithmNumber === PublicKeyAlgorithm.Ed25519 ? '' : 'context digest';
    case SignatureScheme.RsaPkcs1:
      return 'padding digest';
    case SignatureScheme.RsaPss:
      return 'padding saltLength mgf1Hash digest';
    default:
      return 'dsaEncoding digest';
  }
}

/** Checks that there is a hash unless the algorithm has its own. */
function checkHash(
  { algorithm: given, hash }: Signing,
  { algorithm }: HeldKey,
  scheme: SignatureScheme,
): void {
  if ((scheme === SignatureScheme.Default) === (hash === NO_HASH)) return;
  if (hash === NO_HASH) throw wrongType('algorithm', `a hash for a key of ${algorithm}`, given);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm must be null for a key of ${algorithm}, which has its own hash`,
  );
}

/** Returns the bytes of a signature; of ECDSA in DER the most. */
export function signatureSize(
  { algorithmNumber, modulusBits }: HeldKey,
  scheme: SignatureScheme,
): number {
  if (modulusBits > 0) return Math.ceil(modulusBits / 8);
  return scheme === SignatureScheme.EcdsaP1363
    ? 2 * FIELD_BYTES[algorithmNumber]
    : SIZES[algorithmNumber];
}
