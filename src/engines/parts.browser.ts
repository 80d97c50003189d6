/** Modules of the portable engine that a bundle has if it can call them. */
import { Part, setModuleSource } from '../portable/instance.js';
import { compileText } from '../portable/module.js';
import { simd as ciphers } from '../portable/modules/ciphers.js';
import { simd as passwords } from '../portable/modules/passwords.js';

export function provideCiphers(): void {
  setModuleSource(() => compileText(ciphers), Part.Ciphers);
}

export function providePasswords(): void {
  setModuleSource(() => compileText(passwords), Part.Passwords);
}
