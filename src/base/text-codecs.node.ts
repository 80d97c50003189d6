/**
 * UTF-8 from node:util: test environments (Jest with jsdom) hide the globals. The build substitutes
 * these.
 */
import { TextDecoder as Decoder, TextEncoder as Encoder } from 'node:util';

/** Encodes text as UTF-8. */
export const TextEncoder = Encoder;
/** Decodes UTF-8. */
export const TextDecoder = Decoder;
