/** diffieHellman: from arguments to a request. */
import { NO_BYTES, range, sizeOf } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { At, frame, Operation } from '../base/frame.js';
import { diffieHellmanOptionNames, targetOptionNames } from '../base/option-names.js';
import type { ByAlgorithm, HeldKey } from '../public-keys/held-key.js';
import { readPrivateKey, readPublicKey } from '../public-keys/keys.js';
import { Form, type Parser } from '../request/request.js';
import { readPlace } from './hash.js';
import {
  beginWithKey,
  hold,
  letGo,
  parserFor,
  readCallOptions,
  setOutput,
  wrongKey,
  type Options,
} from './public-key-arguments.js';

export const diffieHellmanParser: Parser = parserFor(
  'diffieHellman',
  '{ privateKey, publicKey }',
  fill,
  diffieHellmanOptionNames,
  targetOptionNames,
);

/** Bytes of a shared secret; 0 for keys that do not agree. */
const SIZES: ByAlgorithm = [0, 32, 32, 48, 66, 0, 0, 0, 0, 0, 0, 0, 0, 0];

function fill(_: ArrayLike<unknown>, options: Options): void {
  const { privateKey, publicKey, target, targetOffset } = options;
  if (privateKey === undefined || publicKey === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'diffieHellman needs options.privateKey and options.publicKey',
    );
  const call = readCallOptions(options);
  const place = readPlace(target, targetOffset, undefined);
  const own = readPrivateKey(privateKey, 'options.privateKey');
  let peer: HeldKey;
  hold(own);
  try {
    peer = readPublicKey(publicKey, 'options.publicKey');
  } finally {
    letGo(own);
  }
  const size = SIZES[own.algorithmNumber];
  if (size === 0) throw wrongKey('options.privateKey', own, 'x25519 or a curve of NIST');
  if (own.algorithmNumber !== peer.algorithmNumber)
    throw wrongKey('options.publicKey', peer, own.algorithm);
  if (place !== undefined) range(place.targetOffset, size, sizeOf(place.target), 'target');
  beginWithKey(Operation.Agree, 0, NO_BYTES, '', own, call);
  frame[At.Count] = peer.handles[0]!;
  setOutput(size, Form.Secret, place);
}
