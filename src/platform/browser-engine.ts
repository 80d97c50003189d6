/**
 * The engine of this platform: in browsers the portable one.
 */
import type { Native } from '../frame.js';
import { makePortable } from '../portable/binding.js';
import { portableHost } from './browser-portable.js';

export function openEngine(): Native {
  return makePortable(portableHost);
}
