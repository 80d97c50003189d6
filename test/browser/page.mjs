// The code in the page, and in a worker of it: the suite over the built entry points. Served by
// tools/serve.mjs.

import * as bigintBuffer from '/dist/browser/bigint-buffer.mjs';
import * as bigintHash from '/dist/browser/bigint-hash.mjs';
import * as cryptoAsync from '/dist/browser/crypto-async.mjs';
import * as millrace from '/dist/browser/index.mjs';
import { useJavaScript } from '/dist/browser/javascript.mjs';
import * as promises from '/dist/browser/promises.mjs';
import * as measurements from '/test/browser/measure.mjs';
import { runConformance } from '/test/conformance/suite.mjs';

/** Runs every case, or those of some families: `{ cases, summary }`. */
export function conform(given = {}) {
  return runConformance({
    millrace,
    promises,
    originals: { cryptoAsync, bigintHash, bigintBuffer },
    place: 'browser',
    load,
    paint: painter(),
    ...given,
  });
}

async function load(file) {
  const answer = await fetch(`/test/${file}`);
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  return answer.json();
}

/** Lets the page be painted every now and then. */
function painter() {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < 30) return;
    await new Promise((resolve) => setTimeout(resolve));
    last = performance.now();
  };
}

if (typeof document === 'undefined') {
  globalThis.onmessage = async ({ data }) => {
    try {
      globalThis.postMessage(await conform(data));
    } catch (error) {
      globalThis.postMessage({ broken: `${error.stack}` });
    }
  };
} else {
  globalThis.conform = conform;
  globalThis.conformInWorker = (given) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(import.meta.url, { type: 'module' });
      worker.onmessage = ({ data }) => {
        worker.terminate();
        if (data.broken === undefined) resolve(data);
        else reject(new Error(data.broken));
      };
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(given);
    });
  globalThis.entryPoints = { millrace, useJavaScript };
  Object.assign(globalThis, measurements);
}
