/** The hashes and their properties: a bundle has those that it uses. */
export * from '../../portable/recipes.js';
export type { Recipe as Algorithm } from '../../portable/families/hash.js';
