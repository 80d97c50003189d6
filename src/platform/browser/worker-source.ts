/**
 * The text of browser-worker.ts with all that it imports, as one script. The build for browsers
 * puts it here; where it is empty, work is done on the thread of the page.
 */
export const source: string = '';
