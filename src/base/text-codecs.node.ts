/**
 * UTF-8 from node:util: test environments (Jest with jsdom) hide the globals. The build substitutes
 * these.
 */
import * as util from 'node:util';

/** Encodes text as UTF-8. */
export const TextEncoder = util.TextEncoder;
/** Decodes UTF-8. */
export const TextDecoder = util.TextDecoder;
