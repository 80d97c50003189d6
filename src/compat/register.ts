/**
 * Puts Millrace in place of node:crypto for a whole program:
 * `node --import millrace/register app.js`, or with `--require`. Worker threads inherit it.
 *
 * @packageDocumentation
 */
import module = require('node:module');
import { countOthers, replaceAtFirstCall } from './node-crypto/first-call.js';

replaceAtFirstCall();
countOthers();
// Named imports of node:crypto and crypto in ES modules.
module.syncBuiltinESMExports();
