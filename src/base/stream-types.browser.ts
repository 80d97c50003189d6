/** The types of streams in browsers, which have no Node.js streams. */
export type Duplex = never;
export type TransformStream<In, Out> = globalThis.TransformStream<In, Out>;
/** The names of stream options: none. */
export const streamNames = [] as const;
