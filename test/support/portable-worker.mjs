// The worker of the portable engine without a thread: bundled, and run in this context.

import { hashes } from './algorithms.mjs';
import { bundle } from './portable-bundle.mjs';
import { catalog } from './raw-states.mjs';

const text = await bundle('src/portable/worker.ts');
const HASH = 0;
export const HMAC = 1;

/**
 * Returns a worker without a thread: a function that sends a request and returns a promise of its
 * result and, on request, of the measured cost.
 */
export function worker(webAssembly) {
  const module = { exports: {} };
  new Function('module', 'exports', 'WebAssembly', text)(module, module.exports, webAssembly);
  let receive;
  let onResponse;
  module.exports.serve({
    listen: (listener) => (receive = listener),
    post: (response) => onResponse?.(response),
  });
  return (request, costs = false) =>
    new Promise((resolve) => {
      onResponse = (response) => {
        if (response.type === 'end') resolve.end = response;
        if (response.type === (costs ? 'cost' : 'end'))
          resolve({ ...resolve.end, cost: response.cost });
      };
      receive(request);
    });
}

/** A hash request with defaults. */
export const request = (name, source, more = {}) => ({
  operation: HASH,
  algorithm: catalog.find((each) => each.name === name).id,
  purpose: undefined,
  secret: new Uint8Array(0),
  seedLow: 0,
  seedHigh: 0,
  iv: new Uint8Array(0),
  aad: new Uint8Array(0),
  tag: new Uint8Array(0),
  source,
  targetSize: hashes[name].digest,
  tagSize: 0,
  count: 0,
  size: 0,
  derivation: undefined,
  reportsProgress: false,
  measure: false,
  ...more,
});

/** WebAssembly that counts the modules it compiles: `[{ count }, webAssembly]`. */
export function counted() {
  const calls = { count: 0 };
  return [
    calls,
    {
      ...WebAssembly,
      instantiate: WebAssembly.instantiate,
      compile: (bytes) => (calls.count++, WebAssembly.compile(bytes)),
    },
  ];
}
