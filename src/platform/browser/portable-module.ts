/** Provides the module of the portable engine that every bundle has. */
import { Part, setModuleSource } from '../../portable/instance.js';
import { compileText } from '../../portable/module.js';
import { simd } from '../../portable/modules/digests.js';

export function provideModule(): void {
  setModuleSource(() => compileText(simd), Part.Digests);
}
