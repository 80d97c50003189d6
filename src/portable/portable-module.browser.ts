/** Provides the module of the portable engine that every bundle has. */
import { Part, setModuleSource } from './instance.js';
import { compileText } from './module.js';
import { simd } from './modules/digests.js';

export function provideModule(): void {
  setModuleSource(() => compileText(simd), Part.Digests);
}
