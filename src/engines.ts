import { native } from './binding.js';
import type { Native } from './frame.js';
export function portableBinding(): Native {
  return native;
}
