/** Features of objects and of the global one, which some runtimes lack. */

/** Returns a property of an object, unless Object.prototype has it for all objects. */
export function featureOf<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
): Owner[Name] | undefined {
  const found = owner[name];
  return found === (Object.prototype as Partial<Owner>)[name] ? undefined : found;
}
