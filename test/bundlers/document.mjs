// As much of a page as the first lines of a bundle look at, for running it in Node.js: Vite asks
// for a feature of links, webpack for where its script came from, and for the scope by its other
// name.

globalThis.self = globalThis;
globalThis.document = {
  currentScript: { tagName: 'SCRIPT', src: 'http://localhost/page.js' },
  createElement: () => ({ relList: { supports: () => true } }),
};
