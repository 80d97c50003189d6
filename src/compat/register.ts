/**
 * Puts Millrace in place of node:crypto for a whole program:
 * `node --import millrace/register app.js`, or with `--require`. Worker threads inherit it.
 *
 * @packageDocumentation
 */
import module = require('node:module');
import { logCalls } from './node-crypto/call-log-output.js';
import { countingFunctions, replacements } from './node-crypto/exports.js';
import { moduleExports } from './node-crypto/original.js';

if (logCalls()) Object.assign(moduleExports, countingFunctions());
Object.assign(moduleExports, replacements);
// Named imports of node:crypto and crypto in ES modules.
module.syncBuiltinESMExports();
