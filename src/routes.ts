/**
 * The ways of running an asynchronous call, by name.
 */
import { Route } from './frame.js';
import { makeError, wrongType } from './errors.js';

/**
 * How an asynchronous call is run. It settles later than the call in any case.
 *
 * - `'auto'`: as its predicted cost says
 * - `'inline'`: during the call
 * - `'pool'`: by one worker thread
 * - `'split'`: by all worker threads, each a part. By one, where the work has no parts: only CTR, ChaCha20, GCM,
 *   ChaCha20-Poly1305 and BLAKE3 have
 */
export type RouteName = 'auto' | 'inline' | 'pool' | 'split';

/** An option of asynchronous calls. */
export interface RouteOptions {
  /** How the call is run; by default as `configure` says, and that is `'auto'` by default. */
  readonly route?: RouteName | undefined;
}

const routes: readonly RouteName[] = ['auto', 'inline', 'pool', 'split'];

/** The route of that name. */
export function routeOf(value: unknown, name: string): Route {
  const index = routes.indexOf(value as RouteName);
  if (index >= 0) return index as Route;
  const expected = "'auto', 'inline', 'pool' or 'split'";
  if (typeof value !== 'string') throw wrongType(name, expected, value);
  throw makeError('ERR_ARGUMENT_VALUE', `${name} must be ${expected}, not ${JSON.stringify(value.slice(0, 40))}`);
}

export function routeName(route: Route): RouteName {
  return routes[route]!;
}
