/** Node's tests for kinds of keys. */
import util = require('node:util');

export type KeyObject = import('node:crypto').KeyObject;

export const { types } = util;
