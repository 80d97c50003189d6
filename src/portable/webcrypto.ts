import type { Status } from '../frame.js';
import type { Work } from './work.js';
export function begunByPlatform(_work: Work, _end: (status: Status, target: Uint8Array, tag: Uint8Array) => void): boolean { return false; }
