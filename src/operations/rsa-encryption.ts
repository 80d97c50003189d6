/** publicEncrypt and privateDecrypt: from arguments to a request. */
import { argument, data, findBytes, findData } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { At, frame, Operation } from '../base/frame.js';
import {
  rsaEncryptionOptionNames,
  rsaEncryptionParameterNames,
  targetOptionNames,
} from '../base/option-names.js';
import { EncryptionPadding, NO_HASH, PublicKeyAlgorithm } from '../base/protocol.js';
import { readPrivateKey, readPublicKey } from '../public-keys/keys.js';
import { Form, type Parser } from '../request/request.js';
import { readPlace } from './hash.js';
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

export const publicEncryptParser: Parser = parserFor(
  'publicEncrypt',
  'key, data',
  (given, options) => fill(Operation.PublicEncrypt, given, options),
  rsaEncryptionOptionNames,
  targetOptionNames,
);

export const privateDecryptParser: Parser = parserFor(
  'privateDecrypt',
  'key, data',
  (given, options) => fill(Operation.PrivateDecrypt, given, options),
  rsaEncryptionOptionNames,
  targetOptionNames,
);

const table = keyTable('publicEncrypt and privateDecrypt', rsaEncryptionParameterNames);
const parameters = rsaEncryptionParameterNames.split(' ');
const PADDINGS = ['oaep', 4, 'pkcs1', 1];

function fill(operation: Operation, given: ArrayLike<unknown>, rest: Options): void {
  const { key, options } = readKeyObject(
    argument(given, 0),
    rest,
    rsaEncryptionParameterNames,
    table,
  );
  const { padding = 'oaep', oaepHash = 'sha1', oaepLabel, target, targetOffset } = options;
  const encrypts = operation === Operation.PublicEncrypt;
  const call = readCallOptions(options);
  const isPkcs1 = readChoice(padding, 'padding', PADDINGS) > 1;
  if (isPkcs1) {
    if (!encrypts)
      throw makeError(
        'ERR_NOT_SUPPORTED',
        'privateDecrypt does not decrypt PKCS#1 v1.5: AWS-LC reports wrong padding, from which ' +
          "an attacker learns the message (Bleichenbacher). Use padding: 'oaep', or node:crypto",
      );
    refuseOthers(options, parameters, 'padding', 'PKCS#1 v1.5');
  }
  const hash = hashNumber(oaepHash, 'oaepHash');
  const mgf1 = hashNumber(options.mgf1Hash ?? oaepHash, 'mgf1Hash');
  const label = oaepLabel === undefined ? undefined : data(oaepLabel, 'oaepLabel');
  const place = readPlace(target, targetOffset, undefined);
  const text = encrypts
    ? findData(argument(given, 1), 'data')
    : findBytes(argument(given, 1), 'data');
  const held = encrypts ? readPublicKey(key, 'key') : readPrivateKey(key, 'key');
  if (held.algorithmNumber !== PublicKeyAlgorithm.Rsa) throw wrongKey('key', held, 'rsa');
  beginWithKey(operation, isPkcs1 ? NO_HASH : hash, text, 'data', held, call);
  frame[At.Count] = isPkcs1 ? EncryptionPadding.Pkcs1 : EncryptionPadding.Oaep;
  frame[At.MaxTime] = isPkcs1 ? NO_HASH : mgf1;
  setExtra(label, 'oaepLabel');
  const size = Math.ceil(held.modulusBits / 8);
  if (encrypts) setOutput(size, Form.Buffer, place);
  else setOutput(size + 2, Form.Sized, place);
}
