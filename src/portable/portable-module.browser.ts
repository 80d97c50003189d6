/** Provides the operations of the portable engine that every bundle has. */
export { provideDigests as provideOperations } from './digests.js';
