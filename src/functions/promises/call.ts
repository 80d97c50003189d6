/** Calls of `millrace/promises`: signal, route and engine, in the options or a last argument. */
import { callOptionNames } from '../../base/option-names.js';
import { options } from '../../base/arguments.js';
import type { Route } from '../../base/frame.js';
import { bufferSize, isBytesView, isRevoked } from '../../base/intrinsics.js';
import { accepted, ownProperties, type Accepted } from '../../base/options.js';
import type { Parser } from '../../request/request.js';
import { readEnginePreference, type EnginePreference } from '../../engines/engines.js';
import { isKey } from '../../request/key.js';
import { readRoute, type CallOptions } from '../../scheduling/routes.js';
import { abortSignal, runPromise } from '../../scheduling/run.js';

/** Runs a call. */
export function perform(parser: Parser, given: IArguments): Promise<unknown> {
  return withOptions(parser, given, (signal, count, route, preference) =>
    runPromise(signal, parser.fill, given, count, route, preference),
  );
}

/** A separate last argument. */
const takes: Accepted<keyof CallOptions> = accepted('this call', callOptionNames);

/** Reads the options of a call, and runs it with them. */
export function withOptions(
  { counts, options: place }: Pick<Parser, 'counts' | 'options'>,
  given: IArguments,
  run: (
    signal: AbortSignal | undefined,
    count: number,
    route: Route | undefined,
    preference: EnginePreference | undefined,
  ) => Promise<unknown>,
): Promise<unknown> {
  try {
    let count = given.length;
    const last: unknown = count > 0 ? given[count - 1] : undefined;
    const own = count > counts[0]! && !counts.includes(count);
    let signal: AbortSignal | undefined;
    let route: Route | undefined;
    let preference: EnginePreference | undefined;
    if ((own || count - 1 === place) && isOptions(last)) {
      // The parser reads these properties too: getters run once.
      const read = own
        ? options<CallOptions>(last, 'options', takes)
        : (ownProperties(last, 'options') as CallOptions);
      given[count - 1] = read;
      signal = abortSignal(read.signal);
      if (own) {
        // If the options are those of the call, its parser reads route and engine.
        route = readRoute(read.route);
        preference = readEnginePreference(read.engine);
        count -= 1;
      }
    } else if (own && count > 0 && last === undefined) {
      count -= 1;
    }
    return run(signal, count, route, preference);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function isOptions(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isBytesView(value) &&
    !isKey(value) &&
    !isRevoked(value) &&
    // Without the first check every call with options would catch two exceptions, 20 us.
    (getPrototypeOf(value) === Object.prototype || bufferSize(value) === undefined)
  );
}

const { getPrototypeOf } = Object;
