// The native engine's hashes below its entry points: calls on the bare bytes of states, as
// src/portable/hashes/contract.ts has them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { entryPaths, root } from './child.mjs';

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { native } = require(join(dist, 'core.js'))['engines/binding'];
const { frame } = require(join(dist, 'core.js'))['request/frame'];
const { hashes } = require(join(dist, 'core.js'))['catalog/catalog-table'];

// A const enum leaves nothing behind that could be imported.
const text = readFileSync(join(root, 'src/request/protocol.ts'), 'utf8');

function enumeration(name) {
  const [, body] = new RegExp(`export const enum ${name} \\{([^}]*)\\}`).exec(
    text.replace(/\/\*\*[^]*?\*\//g, ''),
  );
  let next = 0;
  return Object.fromEntries(
    body
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)
      .map((each) => {
        const [key, value = next] = each.split('=').map((part) => part.trim());
        next = Number(value) + 1;
        return [key, Number(value)];
      }),
  );
}

const [At, Operation, Flag, Purpose, Status] = ['At', 'Operation', 'Flag', 'Purpose', 'Status'].map(
  enumeration,
);
const STATE = Status.State;
const NOTHING = new Uint8Array(0);

/** What a state is that is none. */
export class Refused extends Error {}

function run(
  operation,
  id,
  { seed, key, handle = 0 },
  { source = NOTHING, state = NOTHING, target = NOTHING, next = NOTHING },
) {
  frame.fill(0);
  const set = (bytes, offset, flag) => {
    frame[offset + 1] = bytes.length;
    if (bytes.length > 0) frame[At.Flags] += flag;
  };
  frame[At.Operation] = operation;
  frame[At.Algorithm] = id;
  frame[At.Slot] = -1;
  frame[At.Key] = handle;
  frame[At.SourceSize] = source.length;
  frame[At.TargetSize] = target.length;
  frame[At.SeedLow] = Number(seed & 0xffffffffn);
  frame[At.SeedHigh] = Number(seed >> 32n);
  frame[At.Flags] = Flag.HasTarget;
  set(state, At.AadOffset, Flag.HasAad);
  set(next, At.TagOffset, Flag.HasTag);
  set(key ?? NOTHING, At.KeyOffset, Flag.HasKey);
  const status = native.run(source, target, undefined, state, next, key);
  if (status === STATE) throw new Refused();
  if (status !== 0) throw new Error(`status ${status}`);
}

/** The hash of this number, with the methods of a PortableHash. */
export function nativeHash(id) {
  return {
    digest: (params, source, target) => run(Operation.Hash, id, params, { source, target }),
    update: (params, state, source, next) =>
      run(Operation.Update, id, params, { source, state, target: next }),
    finish: (params, state, source, target) =>
      run(Operation.Finish, id, params, { source, state, target }),
    squeeze: (params, state, source, target, next) =>
      run(Operation.Squeeze, id, params, { source, state, target, next }),
  };
}

/** HMAC over it with a key, with the methods of a PortableMac. */
export function nativeMac(id, key) {
  const params = { seed: 0n, key: undefined, handle: native.createKey(Purpose.Mac, id, key) };
  return {
    mac: (source, target) => run(Operation.Hmac, id, params, { source, target }),
    update: (state, source, next) =>
      run(Operation.MacUpdate, id, params, { source, state, target: next }),
    finish: (state, source, target) =>
      run(Operation.MacFinish, id, params, { source, state, target }),
  };
}

export { hashes as catalog };
