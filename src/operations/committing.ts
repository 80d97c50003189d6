/**
 * `seal` and `open` with `commit`: messages that open under one key and one aad only.
 *
 *   salt (24) || commitment (32) || ciphertext || tag (16)
 *
 *   key || nonce || commitment =
 *     HKDF-Expand(SHA-512, input key, label || algorithm || 0x00 || salt || aad)
 *
 * The construction is that of sealed streams, with its own label. Salt and key determine the key of
 * the message, which seals no other, so that the derived nonce is used once. As SHA-512 is
 * collision-resistant, no two triples of key, algorithm and aad with one commitment can be found
 * (CMT-4 of Bellare and Hoang, 2022).
 */
import { data, findBytes, joined, part, sizeOf, sizeOfFound } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { frame } from '../base/frame.js';
import { At, Operation } from '../base/protocol.js';
import { SecretCopy } from '../base/secret-copy.js';
import { secretCopy, wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import type { CipherFacts } from '../catalog/facts.js';
import { readEnginePreference } from '../engines/engines.js';
import { setKeyInput } from '../request/key-input.js';
import {
  Form,
  beginRequest,
  setEngines,
  setIv,
  setPrefix,
  setResult,
  setRoute,
  setTarget,
} from '../request/request.js';
import { readRoute } from '../scheduling/routes.js';
import { utf8 } from '#platform/base/runtime.js';
import {
  appendedTagSize,
  limitSource,
  messageBytes,
  readAad,
  readTarget,
} from './cipher-arguments.js';
import { COMMITMENT_SIZE, ExpandingKey, SALT_SIZE, equalBytes } from './expanding-key.js';
import { randomNonce } from './nonces.js';

const HEADER_SIZE = SALT_SIZE + COMMITMENT_SIZE;
const LABEL = 'millrace.commit@v1+';

/** The options of seal and open that a committed message reads. */
type Given = Readonly<
  Record<
    | 'key'
    | 'nonce'
    | 'source'
    | 'aad'
    | 'authTagLength'
    | 'engine'
    | 'target'
    | 'targetOffset'
    | 'route',
    unknown
  >
>;

/** Fills the request of `seal` with `commit`. */
export function fillCommittedSeal(facts: CipherFacts, given: Given): void {
  const { source, target, targetOffset, aad, key } = given;
  const rest = readRest(facts, given);
  const size = sizeOfFound(messageBytes(source, target), 'source');
  limitSource(size, facts);
  const room = HEADER_SIZE + size + rest.tagSize;
  const place = readTarget(target, targetOffset, room);
  const random = randomNonce(SALT_SIZE, undefined);
  const salt = part(random.memory, random.offset, SALT_SIZE).slice();
  const made = derive(facts, key, salt, readAad(aad, facts));
  // Derived keys and salt use scratch memory, where a short text is encoded.
  const text = messageBytes(source, target);
  beginRequest(Operation.Seal, facts.id, text, 0, sizeOf(text));
  frame[At.TagSize] = rest.tagSize;
  setKeyInput(new SecretCopy(made.key));
  // The nonce follows what goes before the ciphertext.
  const header = joined([salt, made.commitment, made.nonce], secretResult);
  setIv(header, HEADER_SIZE, sizeOf(made.nonce));
  if (place === undefined) setResult(room, Form.Buffer);
  else setTarget(place.target, place.offset, room);
  setPrefix(HEADER_SIZE, 0);
  if (rest.preference !== undefined) setEngines(rest.preference);
  if (rest.route !== undefined) setRoute(rest.route);
}

/** Fills the request of `open` with `commit`. */
export function fillCommittedOpen(facts: CipherFacts, given: Given): void {
  const { source, target, targetOffset, aad, key } = given;
  const rest = readRest(facts, given);
  const text = findBytes(source, 'source');
  const whole = sizeOfFound(text, 'source');
  const size = whole - HEADER_SIZE - rest.tagSize;
  if (size < 0) {
    throw makeError(
      'ERR_SOURCE_SIZE',
      `source must hold at least ${HEADER_SIZE + rest.tagSize} bytes for salt, commitment and ` +
        `tag, not ${whole}`,
    );
  }
  limitSource(size, facts);
  const place = readTarget(target, targetOffset, size);
  const header = part(text, 0, HEADER_SIZE).slice();
  const made = derive(facts, key, part(header, 0, SALT_SIZE), readAad(aad, facts));
  // What another key, algorithm or aad sealed fails as a changed message does, when the call
  // settles: under a random key, so that no message can be made to open under it.
  if (!equalBytes(made.commitment, part(header, SALT_SIZE, COMMITMENT_SIZE)))
    globalThis.crypto.getRandomValues(made.key);
  beginRequest(Operation.Open, facts.id, text, HEADER_SIZE, size + rest.tagSize);
  frame[At.TagSize] = rest.tagSize;
  setKeyInput(new SecretCopy(made.key));
  setIv(made.nonce, 0, sizeOf(made.nonce));
  if (place === undefined) setResult(size, Form.Buffer);
  else setTarget(place.target, place.offset, size);
  if (rest.preference !== undefined) setEngines(rest.preference);
  if (rest.route !== undefined) setRoute(rest.route);
}

/** Reads the options that need no other. */
function readRest(
  facts: CipherFacts,
  { nonce, authTagLength, engine, route }: Given,
): {
  tagSize: number;
  preference: ReturnType<typeof readEnginePreference>;
  route: ReturnType<typeof readRoute>;
} {
  if (nonce !== undefined) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'options.nonce cannot be given with commit: the nonce is derived from a random salt',
    );
  }
  const tagSize = appendedTagSize(authTagLength, facts);
  if (tagSize !== facts.tagSize) {
    throw makeError(
      'ERR_TAG_SIZE',
      `options.authTagLength must be ${facts.tagSize} with commit, not ${tagSize}`,
    );
  }
  return { tagSize, preference: readEnginePreference(engine), route: readRoute(route) };
}

/** Derives the key of a message, its nonce, and the commitment to key, algorithm and aad. */
function derive(
  facts: CipherFacts,
  key: unknown,
  salt: Uint8Array,
  aad: Uint8Array,
): { key: Secret; nonce: Uint8Array; commitment: Uint8Array } {
  const { name, keySize, ivSize } = facts;
  const info = joined([utf8(`${LABEL}${name}\0`), salt, data(aad, 'aad')], secretResult);
  const expanding = new ExpandingKey(facts, key, 'messages with commit');
  try {
    const material = expanding.expand(info, keySize + ivSize + COMMITMENT_SIZE);
    try {
      return {
        key: secretCopy(part(material, 0, keySize)),
        nonce: part(material, keySize, ivSize).slice(),
        commitment: part(material, keySize + ivSize, COMMITMENT_SIZE).slice(),
      };
    } finally {
      wipe(material);
    }
  } finally {
    expanding.dispose();
  }
}
