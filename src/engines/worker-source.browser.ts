/**
 * The source text of browser/worker.ts with its imports, as one script. The browser build inserts
 * it; while it is empty, jobs run on the page's thread.
 */
export const source: string = '';
