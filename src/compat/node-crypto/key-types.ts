/** Node's tests for kinds of keys. */
import util = require('node:util');

export const { types } = util;
