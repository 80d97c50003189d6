/** The routes of asynchronous calls, by name. */
import type { EngineOptions } from '../engines/engines.js';
import { shownName } from '../base/nearest.js';
import { Route } from '../base/frame.js';
import { makeError, wrongType } from '../base/errors.js';
import { callOptionNames, routeOptionNames } from '../base/option-names.js';
import { accepted, type Accepted, type Words } from '../base/options.js';

/**
 * The route of an asynchronous call. The call always settles after it returns.
 *
 * - `'auto'`: chosen by the predicted cost
 * - `'inline'`: on the calling thread, during the call
 * - `'pool'`: on one worker thread
 * - `'split'`: in parts on all worker threads; only CTR, ChaCha20, GCM, ChaCha20-Poly1305 and
 *   BLAKE3 have parts, others run on one
 */
export type RouteName = 'auto' | 'inline' | 'pool' | 'split';

/** The option that selects a route. */
export interface RouteOptions {
  /** The route; by default the setting of `configure`, which is `'auto'` by default. */
  readonly route?: RouteName | undefined;
}

/** The route and the signal of a call. */
export interface CallOptions extends RouteOptions, EngineOptions {
  /**
   * Cancels the call when it aborts. A call that has not started rejects at once with the signal's
   * reason; a running one rejects when it has stopped, or resolves if it is about to end. Lent
   * memory is in use until the promise settles.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The options of all calls. */
export interface Takes<Own extends PropertyKey> {
  /** Synchronous calls and calls with a callback. */
  readonly plain: Accepted<Own | keyof RouteOptions>;
  readonly promised: Accepted<Own | keyof CallOptions>;
}

/** Makes both option tables of a function. */
export function takes<Text extends string>(signature: string, ...own: Text[]): Takes<Words<Text>> {
  return {
    plain: accepted<any>(signature, ...own, routeOptionNames),
    promised: accepted<any>(signature, ...own, callOptionNames),
  };
}

const routes: readonly RouteName[] = ['auto', 'inline', 'pool', 'split'];

/** Parses the option `route`. */
export function readRoute(value: unknown): Route | undefined {
  return value === undefined ? undefined : routeOf(value, 'options.route');
}

/** Returns the route of that name. */
export function routeOf(value: unknown, name: string): Route {
  const index = routes.indexOf(value as RouteName);
  if (index >= 0) return index as Route;
  const expected = "'auto', 'inline', 'pool' or 'split'";
  if (typeof value !== 'string') throw wrongType(name, expected, value);
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `${name} must be ${expected}, not ${shownName(value, routes)}`,
  );
}

export function routeName(route: Route): RouteName {
  return routes[route]!;
}
