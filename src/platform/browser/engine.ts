/**
 * The engines of this platform: in browsers the portable one only.
 */
import { makeError } from '../../request/errors.js';
import type { Native } from '../../request/frame.js';
import { makePortable } from '../../portable/binding.js';
import { portableHost } from './portable.js';

/** An engine that other engines may be beside. */
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

/** There is no environment to ask. */
export function engineFromEnvironment(): string | undefined {
  return undefined;
}

/** Tells developers of something that is no error. */
export function warn(message: string, code: string): void {
  console.warn(`${code}: ${message}`);
}
