/** hashPairs: the digests of pairs of digests, a level of a Merkle tree, in one call. */
import { hashFacts } from '../../catalog/catalog.js';
import { defaultEngine } from '../../engines/engines.js';
import { bytes, range, sizeOf } from '../../base/arguments.js';
import { makeError } from '../../base/errors.js';
import { At, frame } from '../../base/frame.js';
import { checkKeyGiven } from '../hash-parameters.js';
import { hashManyParser } from './readers.js';
import { runManySync } from './sync.js';
import { allocate, type Buffer } from '#platform/base/runtime.js';

/** Hashes the pairs; returns a Buffer, or with a target the number of bytes written. */
export function hashPairsSync(algorithm: unknown, nodes: unknown, target: unknown): unknown {
  const facts = hashFacts(algorithm);
  const { digestSize } = facts;
  if (!facts.direct) checkKeyGiven(facts);
  // A tuple's encoding is longer than its bytes.
  if (facts.tuple)
    throw makeError('ERR_ARGUMENT_VALUE', `hashPairs does not take ${facts.name}: use hashMany`);
  const source = bytes(nodes, 'nodes');
  const size = sizeOf(source);
  const pair = 2 * digestSize;
  if (size % pair !== 0)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `nodes must be a whole number of pairs of ${pair} bytes, and have ${size} bytes`,
    );
  const total = size / 2;
  const place = target === undefined ? allocate(total) : bytes(target, 'target');
  range(0, total, sizeOf(place), 'target');
  const { direct } = defaultEngine.engine;
  frame[At.Algorithm] = facts.id;
  // Also refused: a target that overlaps the nodes elsewhere, and no nodes.
  if (direct === undefined || direct.hashPairs(source, place) !== 0)
    runManySync(
      hashManyParser.parse([facts.name, { data: source, size: pair }, { target: place }], 3),
    );
  return target === undefined ? (place as Buffer) : total;
}
