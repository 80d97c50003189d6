/** Provides the module of the portable engine. */
import { setModuleSource } from '../../portable/instance.js';
import { compileText } from '../../portable/module.js';
import { simd } from '../../portable/modules/engine.js';

export function provideModule(): void {
  setModuleSource(() => compileText(simd));
}
