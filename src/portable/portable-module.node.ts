/** Provides the module of the portable engine. */
import { setModuleSource } from './instance.js';
import { loadText } from './module-text.node.js';
import { compileText } from './module.js';
import { simd } from './modules/engine.js';

export function provideModule(): void {
  setModuleSource(() => compileText(loadText(simd)));
}
