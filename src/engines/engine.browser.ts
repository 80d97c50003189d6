/**
 * The engines of this platform: in browsers only the portable one.
 */
import { makeError } from '../base/errors.js';
import type { Native } from '../base/frame.js';
import { makePortable } from '../portable/binding.js';
import { portableHost } from './portable.browser.js';

/** An engine with its own binding. */
export type BindingName = 'native' | 'portable';

export function openEngine(name: BindingName): Native {
  if (name === 'portable') return makePortable(portableHost);
  throw makeError(
    'ERR_NO_BINARY',
    'native code is for Node.js: browsers are served by the portable engine',
  );
}

export function openDefaultEngine(): { readonly name: BindingName; readonly binding: Native } {
  return { name: 'portable', binding: openEngine('portable') };
}

/** Returns undefined: there is no environment. */
export function engineFromEnvironment(): string | undefined {
  return undefined;
}

/** Warns developers on the console. */
export function warn(message: string, code: string): void {
  console.warn(`${code}: ${message}`);
}
