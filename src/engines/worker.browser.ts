/**
 * The worker of the portable engine in browsers. The build turns it into text:
 * worker-source.browser.ts.
 */
import { serve } from '../portable/worker.js';
import { webcryptoRequest, type WorkerRequest } from '../portable/worker-messages.js';

/** The used part of a dedicated worker's scope. */
interface Scope {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage: ((event: { readonly data: WorkerRequest }) => void) | null;
  onmessageerror: (() => void) | null;
}

const scope = globalThis as unknown as Scope;

serve({
  tryPlatform: webcryptoRequest,
  post: (response, transfer) => scope.postMessage(response, transfer),
  listen(receive) {
    scope.onmessage = ({ data }) => receive(data);
    // An unreadable message is never answered: the owner gets an error event instead.
    scope.onmessageerror = () => {
      throw new Error('a message could not be read');
    };
  },
});
