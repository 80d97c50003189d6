/**
 * The common part of all derivations: waiting, progress and cancellation. Derivations of one turn
 * of the event loop go to the pool together, so that several can run in lanes of one thread.
 */
import { NO_BYTES, options as optionsOf } from '../base/arguments.js';
import { servers } from '../engines/binding.js';
import { Flag, type Operation } from '../base/frame.js';
import { setKeyInput, setSecondSecret } from '../request/key-input.js';
import { abortSignal, runSync, runAsync } from '../scheduling/run.js';
import {
  beginRequest,
  request,
  setEngines,
  clearRequest,
  type FillRequest,
} from '../request/request.js';
import {
  localEngines,
  readEnginePreference,
  openBindings,
  type EnginePreference,
} from '../engines/engines.js';
import { makeError, wrongType } from '../base/errors.js';
import { accepted, type Accepted } from '../base/options.js';
import {
  AsyncResource,
  every,
  nextTick,
  nextTurn,
  stop,
  type Timer,
} from '#platform/base/runtime.js';
import { shortPrk } from '../base/kdf-costs.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import {
  readSecret,
  SecretKinds,
  secretSize,
  wipeCopy,
  type SecretCopy,
} from '../base/secret-copy.js';
import {
  CallbackCompletion,
  PromiseCompletion,
  Relay,
  SignalCompletion,
  type Callback,
  type Completion,
} from '../scheduling/completions.js';
import { decideMemory } from './memory.js';
import type { DerivationProgress, DerivationCallOptions } from '../calls/derivations.js';

/** Reads the arguments of one kind of derivation. */
export interface DerivationParser {
  /** Fills the request; the options were read and their names checked. */
  readonly fill: FillRequest;
  /** The number of inputs, and the message of a call with fewer. */
  readonly least: number;
  readonly needs: string;
  /** The index of the options, the last argument before the callback. */
  readonly options: number;
  /** The name of the options in messages. */
  readonly name: string;
  readonly takes: Accepted<any>;
}

/** Returns the parser of a call with this signature and options of these names. */
export function parserFor(
  signature: string,
  needs: string,
  fill: FillRequest,
  ...names: string[]
): DerivationParser {
  const least = signature.split(',').length;
  const takes = accepted(signature, ...names);
  return { fill, least, needs, options: least, name: 'options', takes };
}

/** The arguments of a call; the options are replaced by their own properties. */
export type Arguments = { [index: number]: unknown; readonly length: number };

/** Derives asynchronously if the last argument is a function, otherwise synchronously. */
export function derive(parser: DerivationParser, given: Arguments): unknown {
  const last = given.length - 1;
  const callback = last >= 0 ? given[last] : undefined;
  if (typeof callback === 'function')
    return deriveThen(callback as Callback<unknown>, parser, given, last);
  return deriveSync(parser, given, given.length);
}

/** Derives synchronously. */
export function deriveSync(parser: DerivationParser, given: Arguments, count: number): unknown {
  const { signal, onProgress, preference } = readOptions(parser, given, count);
  if (signal !== undefined || onProgress !== undefined)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.${signal === undefined ? 'onProgress' : 'signal'}: a synchronous call takes none; ` +
        'pass a callback, or use millrace/promises',
    );
  decideMemory();
  return runSync(parser.fill, given, count, preference);
}

/** Derives and calls back. */
export function deriveThen(
  callback: Callback<unknown>,
  parser: DerivationParser,
  given: Arguments,
  count: number,
): void {
  const options = readOptions(parser, given, count);
  if (options.signal === undefined) {
    launch(new CallbackCompletion(callback), parser, given, count, options);
    return;
  }
  const completion = new SignalCompletion();
  // On the next tick, so that an exception becomes an uncaughtException and not a rejection.
  completion.promise.then(
    (value) => nextTick(callback, null, value),
    (error: unknown) => nextTick(callback, error),
  );
  launch(completion, parser, given, count, options);
}

/** Derives and returns a promise. */
export function derivePromise(parser: DerivationParser, given: Arguments): Promise<unknown> {
  try {
    const options = readOptions(parser, given, given.length);
    const completion =
      options.signal === undefined ? new PromiseCompletion() : new SignalCompletion();
    launch(completion, parser, given, given.length, options);
    return completion.promise;
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Fills a request and submits it. A signal that has aborted already rejects at once. */
function launch(
  completion: Completion,
  { fill }: DerivationParser,
  given: Arguments,
  count: number,
  { signal, onProgress, preference }: CheckedOptions,
): void {
  const signalled = completion instanceof SignalCompletion ? completion : undefined;
  if (signal?.aborted) return signalled!.reject(signal.reason);
  decideMemory();
  // Created before the request is filled, like every completion.
  const reporting =
    onProgress === undefined ? undefined : new ProgressCompletion(completion, onProgress);
  try {
    fill(given, count);
    setEngines(preference);
  } catch (error) {
    clearRequest();
    throw error;
  }
  if (signalled !== undefined) request.flags |= Flag.Cancellable;
  if (reporting !== undefined) request.flags |= Flag.Progress;
  runAsync(reporting ?? completion);
  reporting?.begin();
  flushLater();
  signalled?.attachSignal(signal!);
}

let flushScheduled = false;

function flushLater(): void {
  if (flushScheduled) return;
  flushScheduled = true;
  nextTurn(flush);
}

function flush(): void {
  flushScheduled = false;
  for (const binding of openBindings()) binding.flushDerivations();
}

/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 50;

/** Reports progress to a callback until the inner completion settles. */
class ProgressCompletion extends Relay {
  #timer: Timer | undefined;
  #fraction = 0;

  readonly #onProgress: (progress: DerivationProgress) => void;

  constructor(user: Completion, onProgress: (progress: DerivationProgress) => void) {
    super(user);
    // Runs in the AsyncLocalStorage context of the call.
    this.#onProgress = AsyncResource.bind(onProgress);
  }

  /** Starts reporting; the job has been submitted. */
  begin(): void {
    this.#timer = every(PROGRESS_INTERVAL_MS, () =>
      this.#report(servers[this.slot]!.progress(this.slot)),
    );
  }

  override succeed(value: unknown): void {
    this.#end();
    try {
      this.#report(1);
    } catch (error) {
      nextTick(() => {
        throw error;
      });
    }
    super.succeed(value);
  }

  override fail(error: unknown): void {
    this.#end();
    super.fail(error);
  }

  override cancelled(): void {
    this.#end();
    super.cancelled();
  }

  #report(fraction: number): void {
    if (fraction <= this.#fraction) return;
    this.#fraction = fraction;
    const onProgress = this.#onProgress;
    onProgress({ fraction });
  }

  #end(): void {
    stop(this.#timer);
  }
}

/** The options of a call. */
interface CheckedOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: DerivationCallOptions['onProgress'];
  readonly preference: EnginePreference;
}

/** Reads the options, whose getters run once. */
function readOptions(parser: DerivationParser, given: Arguments, count: number): CheckedOptions {
  if (count > parser.options + 1) {
    const last = given[count - 1];
    // A callback of a call that returns a promise.
    if (typeof last === 'function') throw wrongType('options', 'an object', last);
    throw wrongType('callback', 'a function', last);
  }
  if (count < parser.least) throw makeError('ERR_MISSING_ARGUMENT', parser.needs);
  if (count <= parser.options)
    return { signal: undefined, onProgress: undefined, preference: localEngines(undefined, USE) };
  const options = optionsOf<DerivationCallOptions>(
    given[parser.options],
    parser.name,
    parser.takes,
  );
  // The parser reads others of them.
  given[parser.options] = options;
  const { onProgress, engine } = options;
  const signal = abortSignal(options.signal);
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongType('options.onProgress', 'a function', onProgress);
  return { signal, onProgress, preference: localEngines(readEnginePreference(engine), USE) };
}

const USE = 'key derivation';

/** A password or another secret: as given, or a private copy. */
export type Password = string | Uint8Array | SecretCopy;

/** Reads a password or another secret for {@link setKeyInput}. Call it last: see secret-copy.ts. */
export function readPassword(value: unknown, name: string): Password {
  return readSecret(value, name, SecretKinds.Text);
}

/** Reads a secret and maybe a second one, which is read first. Call it last. */
export function readSecrets(
  first: unknown,
  firstName: string,
  second: unknown,
  secondName: string,
  kinds: SecretKinds = SecretKinds.Text,
): [Password, Password | undefined] {
  const other = second === undefined ? undefined : readSecret(second, secondName, kinds);
  try {
    return [readSecret(first, firstName, kinds), other];
  } catch (error) {
    wipeCopy(other);
    throw error;
  }
}

/**
 * Starts a request with a secret in the place of the key, and maybe one in that of the tag. From
 * here on the request wipes copies of them, also after an error.
 */
export function beginDerivation(
  operation: Operation,
  algorithm: number,
  first: Password,
  second?: Password,
): void {
  beginRequest(operation, algorithm, NO_BYTES, 0, 0);
  setKeyInput(first);
  if (second !== undefined) setSecondSecret(second);
}

/** Returns the hash of that name; throws if it has no HMAC. */
export function digestFacts(name: unknown): HashFacts {
  const facts = hashFacts(name, 'digest');
  if (facts.hmac) return facts;
  throw makeError('ERR_ARGUMENT_VALUE', `digest: there is no HMAC over ${facts.name}`);
}

/** Checks that a key which HKDF expands has at least the bytes of a digest. */
export function checkPrk(prk: Password, { name, digestSize }: HashFacts): void {
  const size = secretSize(prk);
  if (size < digestSize) throw shortPrk(name, digestSize, size);
}
