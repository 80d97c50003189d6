/**
 * The ways of running an asynchronous call, by name.
 */
import { engineNames, type EngineOptions } from '../engines/engines.js';
import { Route } from '../request/frame.js';
import { makeError, wrongType } from '../request/errors.js';
import { accepted, type Accepted, type Names } from '../request/options.js';

/**
 * How an asynchronous call is run. It settles later than the call in any case.
 *
 * - `'auto'`: as its predicted cost says
 * - `'inline'`: during the call
 * - `'pool'`: by one worker thread
 * - `'split'`: by all worker threads, each a part. By one, where the work has no parts: only CTR,
 *   ChaCha20, GCM, ChaCha20-Poly1305 and BLAKE3 have
 */
export type RouteName = 'auto' | 'inline' | 'pool' | 'split';

/** An option of asynchronous calls. */
export interface RouteOptions {
  /** How the call is run; by default as `configure` says, and that is `'auto'` by default. */
  readonly route?: RouteName | undefined;
}

export const routeNames: Names<RouteOptions> = { route: true };

/** How a call is run, and what ends it early. */
export interface CallOptions extends RouteOptions, EngineOptions {
  /**
   * The signal whose abort cancels. A call that has not started is rejected with the signal's
   * reason at once, a long one that runs as soon as it has stopped; one that is about to end
   * resolves. Lent memory is in use until the promise settles.
   */
  readonly signal?: AbortSignal | undefined;
}

export const callNames: Names<CallOptions> = { signal: true, ...routeNames, ...engineNames };

/** The options that a call takes beside those of its own. */
export interface Takes<Own extends PropertyKey> {
  /** Here and now, or with a callback. */
  readonly plain: Accepted<Own | keyof RouteOptions>;
  readonly promised: Accepted<Own | keyof CallOptions>;
}

/** Makes both tables of a call; `signature` as {@link Accepted} has it. */
export function takes<Own extends object>(signature: string, own: Own): Takes<keyof Own> {
  return {
    plain: accepted(signature, { ...own, ...routeNames }),
    promised: accepted(signature, { ...own, ...callNames }),
  };
}

const routes: readonly RouteName[] = ['auto', 'inline', 'pool', 'split'];

/** The route of that name. */
export function routeOf(value: unknown, name: string): Route {
  const index = routes.indexOf(value as RouteName);
  if (index >= 0) return index as Route;
  const expected = "'auto', 'inline', 'pool' or 'split'";
  if (typeof value !== 'string') throw wrongType(name, expected, value);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${name} must be ${expected}, not ${JSON.stringify(value.slice(0, 40))}`,
  );
}

export function routeName(route: Route): RouteName {
  return routes[route]!;
}
