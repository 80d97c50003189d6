/**
 * Puts Millrace in place of node:crypto for a whole program:
 * `node --import millrace/register app.js`, or with `--require`. Worker threads inherit it.
 *
 * @packageDocumentation
 */
import module = require('node:module');
import { countOthers, replaceAtFirstCall } from './node-crypto/first-call.js';

replaceAtFirstCall();
const { env } = process;
if (Object.hasOwn(env, 'MILLRACE_REGISTER_LOG') && env.MILLRACE_REGISTER_LOG === '1') countOthers();
// Named imports of node:crypto and crypto in ES modules.
module.syncBuiltinESMExports();
