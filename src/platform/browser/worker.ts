/**
 * What a worker of the portable engine runs in browsers. The build makes a text of it:
 * browser-worker-source.ts.
 */
import { serve } from '../../portable/worker.js';
import type { WorkerRequest } from '../../portable/worker-messages.js';

/** The scope of a dedicated worker, as far as it is used. */
interface Scope {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage: ((event: { readonly data: WorkerRequest }) => void) | null;
  onmessageerror: (() => void) | null;
}

const scope = globalThis as unknown as Scope;

serve({
  post: (response, transfer) => scope.postMessage(response, transfer),
  listen(receive) {
    scope.onmessage = ({ data }) => receive(data);
    // What cannot be read is never answered: the owner hears of an error instead.
    scope.onmessageerror = () => {
      throw new Error('a message could not be read');
    };
  },
});
