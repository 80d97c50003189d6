/**
 * UTF-8 as node:util has it: test environments (Jest with jsdom) hide the global names. The build
 * puts these in their place.
 */
import * as util from 'node:util';

/** Text to UTF-8. */
export const TextEncoder = util.TextEncoder;
/** UTF-8 to text. */
export const TextDecoder = util.TextDecoder;
