/** generateKeyPair: from arguments to a request, and the pair. */
import { argument, NO_BYTES } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { At, frame, Operation } from '../base/frame.js';
import { shownName } from '../base/nearest.js';
import { between } from '../base/numbers.js';
import { generateKeyPairOptionNames } from '../base/option-names.js';
import { NO_HASH, PublicKeyAlgorithm } from '../base/protocol.js';
import { hashFacts } from '../catalog/catalog.js';
import { algorithmNames, type PublicKeyAlgorithmName } from '../public-keys/algorithm-names.js';
import {
  filledKey,
  publicKeyOf,
  reserveKey,
  type HeldKey,
  type Restriction,
} from '../public-keys/held-key.js';
import { encodeKey, readEncoding, wipeEncoding, type KeyEncoding } from '../public-keys/export.js';
import { keyObject } from '../public-keys/key-objects.js';
import { release, type Prepared } from '../request/key.js';
import {
  beginRequest,
  Form,
  setFinish,
  setEngines,
  setResult,
  setRoute,
  type Parser,
} from '../request/request.js';
import { parserFor, readCallOptions, refuseOthers, type Options } from './public-key-arguments.js';

export const keyPairParser: Parser = parserFor(
  'generateKeyPair',
  'type',
  fill,
  generateKeyPairOptionNames,
);

/** The options that only some types take. */
const RSA = 'modulusLength publicExponent';
const RSA_PSS = `${RSA} hashAlgorithm mgf1HashAlgorithm saltLength`;
const SOME = `namedCurve ${RSA_PSS}`.split(' ');

/** The algorithms of curves, by their names in lower case. */
const curves: ReadonlyMap<string, PublicKeyAlgorithm> = new Map([
  ['p-256', PublicKeyAlgorithm.P256],
  ['prime256v1', PublicKeyAlgorithm.P256],
  ['secp256r1', PublicKeyAlgorithm.P256],
  ['p-384', PublicKeyAlgorithm.P384],
  ['secp384r1', PublicKeyAlgorithm.P384],
  ['p-521', PublicKeyAlgorithm.P521],
  ['secp521r1', PublicKeyAlgorithm.P521],
]);

function fill(given: ArrayLike<unknown>, options: Options): void {
  const { namedCurve, publicKeyEncoding, privateKeyEncoding } = options;
  const { preference, route } = readCallOptions(options);
  const algorithm = readType(argument(given, 0), namedCurve);
  const isPss = algorithm === PublicKeyAlgorithm.RsaPss;
  const isRsa = isPss || algorithm === PublicKeyAlgorithm.Rsa;
  const taken = argument(given, 0) === 'ec' ? 'namedCurve' : isPss ? RSA_PSS : isRsa ? RSA : '';
  refuseOthers(options, SOME, taken, `type '${argument(given, 0) as string}'`);
  const { bits, exponent } = isRsa ? readRsa(options) : NO_RSA;
  const { hash, mgf1Hash, saltLength } = isPss ? readRestriction(options) : UNRESTRICTED;
  const publicEncoding = readResult(publicKeyEncoding, 'options.publicKeyEncoding', false);
  const privateEncoding = readResult(privateKeyEncoding, 'options.privateKeyEncoding', true);
  let reserved: Prepared | undefined;
  const fail = (): void => {
    wipeEncoding(privateEncoding);
    if (reserved !== undefined) release(reserved);
  };
  try {
    reserved = reserveKey();
    beginRequest(Operation.GenerateKey, algorithm, NO_BYTES, 0, 0);
    setEngines(reserved);
    if (preference !== undefined) setEngines(preference);
  } catch (error) {
    fail();
    throw error;
  }
  if (route !== undefined) setRoute(route);
  frame[At.Count] = bits;
  frame[At.MessageSize] = exponent;
  frame[At.SeedLow] = hash;
  frame[At.SeedHigh] = mgf1Hash;
  frame[At.MaxTime] = saltLength;
  setResult(0, Form.Buffer);
  setFinish({
    succeed() {
      try {
        const held = filledKey(reserved!);
        const publicKey = resultOf(publicKeyOf(held), publicEncoding);
        return { publicKey, privateKey: resultOf(held, privateEncoding) };
      } catch (error) {
        fail();
        throw error;
      }
    },
    fail,
  });
}

function readResult(value: unknown, argument: string, isPrivate: boolean): KeyEncoding | undefined {
  return value === undefined ? undefined : readEncoding(value, argument, isPrivate);
}

/** Returns a key as an object, or in an encoding, and then releases it. */
function resultOf(held: HeldKey, encoding: KeyEncoding | undefined): unknown {
  if (encoding === undefined) return keyObject(held);
  try {
    return encodeKey(held, encoding);
  } finally {
    release(held);
  }
}

/** Returns the algorithm of a type. */
function readType(type: unknown, namedCurve: unknown): PublicKeyAlgorithm {
  if (typeof type !== 'string') throw wrongType('type', 'a string', type);
  if (type === 'ec') {
    const expected = "'P-256', 'P-384' or 'P-521'";
    if (namedCurve === undefined)
      throw makeError(
        'ERR_MISSING_ARGUMENT',
        `generateKeyPair('ec') needs options.namedCurve: ${expected}`,
      );
    if (typeof namedCurve !== 'string') throw wrongType('options.namedCurve', expected, namedCurve);
    const curve = curves.get(namedCurve.toLowerCase());
    if (curve !== undefined) return curve;
    const shown = shownName(namedCurve, [...curves.keys()]);
    throw makeError('ERR_ARGUMENT_VALUE', `options.namedCurve must be ${expected}, not ${shown}`);
  }
  const algorithm = algorithmNames.indexOf(type as PublicKeyAlgorithmName);
  if (algorithm >= 0) return algorithm as PublicKeyAlgorithm;
  throw makeError(
    'ERR_UNKNOWN_ALGORITHM',
    `type must be 'ec', '${algorithmNames.join("', '")}', not ${shownName(type, algorithmNames)}`,
  );
}

const NO_RSA = { bits: 0, exponent: 0 };

/** Reads the size of an RSA key, and its exponent. */
function readRsa({ modulusLength, publicExponent }: Options): typeof NO_RSA {
  if (modulusLength === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'generateKeyPair needs options.modulusLength for RSA: 2048, 3072 or 4096 bits',
    );
  return {
    bits: between(modulusLength, 2048, 8192, 'options.modulusLength'),
    exponent:
      publicExponent === undefined
        ? 65537
        : between(publicExponent, 3, 2 ** 32 - 1, 'options.publicExponent'),
  };
}

const UNRESTRICTED: Restriction = { hash: NO_HASH, mgf1Hash: NO_HASH, saltLength: 0 };

/** Reads what a key of RSA-PSS prescribes. */
function readRestriction({ hashAlgorithm, mgf1HashAlgorithm, saltLength }: Options): Restriction {
  if (hashAlgorithm === undefined) {
    if (mgf1HashAlgorithm === undefined && saltLength === undefined) return UNRESTRICTED;
    const name = saltLength === undefined ? 'mgf1HashAlgorithm' : 'saltLength';
    throw makeError('ERR_MISSING_ARGUMENT', `options.${name} needs options.hashAlgorithm`);
  }
  const { id, digestSize } = hashFacts(hashAlgorithm, 'options.hashAlgorithm');
  return {
    hash: id,
    mgf1Hash:
      mgf1HashAlgorithm === undefined
        ? id
        : hashFacts(mgf1HashAlgorithm, 'options.mgf1HashAlgorithm').id,
    saltLength:
      saltLength === undefined ? digestSize : between(saltLength, 0, 1024, 'options.saltLength'),
  };
}
