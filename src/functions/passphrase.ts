/** Messages sealed with a passphrase, with a callback. */
import { makeError, refuseSurplus, wrongType } from '../base/errors.js';
import { CallbackCompletion, type Callback } from '../scheduling/completions.js';
import { passphrases } from '#platform/streams/sealed.js';

/** Runs a call of `millrace/promises`, and calls back. */
export function withPassphrase(
  name: 'sealWithPassphrase' | 'openWithPassphrase',
  given: readonly unknown[],
): void {
  const [passphrase, data, third, fourth] = given;
  const callback = typeof third === 'function' ? third : fourth;
  refuseSurplus(
    given,
    callback === third ? 3 : 4,
    `${name}(passphrase, data[, options], callback)`,
  );
  if (callback === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${name} needs a callback; millrace/promises has a form without`,
    );
  if (typeof callback !== 'function') throw wrongType('callback', 'a function', callback);
  const completion = new CallbackCompletion(callback as Callback<unknown>);
  const result = passphrases()[name](passphrase, data, callback === third ? undefined : third);
  result.then(
    (value) => completion.succeed(value),
    (error: unknown) => completion.fail(error),
  );
}
