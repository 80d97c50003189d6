/**
 * Requests on the calling thread, where workers are unavailable: a long message is hashed in
 * slices, so that other events are handled in between. Authenticated decryption and derivations run
 * in one step.
 */
import { Operation, Purpose, Status } from '../request/frame.js';
import { hashes } from '../catalog/catalog-table.js';
import { runRequest, type WorkerRequest, type Outcome } from './worker-messages.js';
import { copyOf, NOTHING, part } from './windows.js';

/** Bytes of a slice: a few milliseconds of the slower hashes. */
const SLICE = 256 * 1024;

/** Runs a request; yields wherever other events may be handled. */
export function* inSlices(request: WorkerRequest): Generator<undefined, Outcome, undefined> {
  const { operation, algorithm, source, secret } = request;
  const mac = operation === Operation.Hmac;
  if ((!mac && operation !== Operation.Hash) || source.length <= SLICE)
    return runRequest(request, undefined);
  const purpose = mac ? Purpose.Mac : request.purpose;
  const [update, finish] = mac
    ? [Operation.MacUpdate, Operation.MacFinish]
    : [Operation.Update, Operation.Finish];
  const { stateSize } = hashes[algorithm]!;
  let state: Uint8Array = NOTHING;
  let at = 0;
  for (; at + SLICE < source.length; at += SLICE) {
    // The recipient wipes the secret.
    const slice = {
      ...request,
      operation: update,
      purpose,
      secret: copyOf(secret),
      aad: state,
      source: part(source, at, SLICE),
      targetSize: stateSize,
    };
    const outcome = runRequest(slice, undefined);
    if (outcome.status !== Status.Done) return outcome;
    state = outcome.target;
    yield;
  }
  return runRequest(
    {
      ...request,
      operation: finish,
      purpose,
      aad: state,
      source: part(source, at, source.length - at),
    },
    undefined,
  );
}
