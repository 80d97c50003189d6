// Looks for branches and addresses that depend on vector registers in the machine code of a
// library: in kernels these hold keys, messages and sums, and general registers hold addresses and
// lengths. From vectors values reach general registers and flags by few instructions, and from
// there they are followed through registers, stack and flags along all paths of a function.
//
// Values that are loaded from memory into a general register are not followed: they may be a
// length, a number of rounds or an address, and branches on those are counted. What was stored on
// the stack as a whole vector counts as memory, as it may be copies of an address. Not followed are
// called functions, jumps to a register, push and pop, and what a pointer reads from the stack.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** @typedef {{ address: number, name: string, operands: string[], text: string }} Instruction */

/** Yields the lines of a program's output. */
async function* linesOf(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  yield* createInterface({ input: child.stdout });
  const code = await ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

/**
 * Returns the functions of a library with a matching instruction. Their ends are those of the
 * section .eh_frame, as a stripped library has no symbols.
 *
 * @param {string} library
 * @param {RegExp} pattern
 * @returns {Promise<Instruction[][]>}
 */
export async function functionsWith(library, pattern) {
  const starts = [];
  for await (const line of linesOf('objdump', ['--dwarf=frames', library])) {
    const found = /FDE .*pc=([0-9a-f]+)\.\./.exec(line);
    if (found !== null) starts.push(Number.parseInt(found[1], 16));
  }
  starts.sort((one, other) => one - other);
  const found = [];
  let [next, current, matches] = [0, [], false];
  const end = () => {
    if (matches) found.push(current);
    [current, matches] = [[], false];
  };
  const args = ['--disassemble', '--no-show-raw-insn', '--section=.text', library];
  for await (const line of linesOf('objdump', args)) {
    const parts = /^\s*([0-9a-f]+):\s+(\S+)\s*([^#<]*)/.exec(line);
    if (parts === null) continue;
    const address = Number.parseInt(parts[1], 16);
    if (address >= (starts[next] ?? Infinity)) {
      end();
      while (address >= (starts[next] ?? Infinity)) next++;
    }
    const text = line.trim();
    matches ||= pattern.test(text);
    current.push({ address, name: parts[2], operands: split(parts[3].trim()), text });
  }
  end();
  return found;
}

/** Splits operands in AT&T's syntax: `8(%rax,%rbx,4),%ymm0`. */
const split = (text) => text.match(/(?:[^,(]|\([^)]*\))+/g)?.map((each) => each.trim()) ?? [];

const families = ['ax', 'bx', 'cx', 'dx', 'si', 'di', 'bp', 'sp'];
/** Returns the number of a general register's family; undefined for any other operand. */
function general(operand) {
  const found = /^%(?:([re]?)([abcd]x|[sd]i|[sb]p)|([abcd])[lh]|([sd]i|[sb]p)l|r(\d+)[dwb]?)$/.exec(
    operand,
  );
  if (found === null) return undefined;
  const [, , wide, letter, low, number] = found;
  if (number !== undefined) return Number(number);
  return families.indexOf(wide ?? low ?? `${letter}x`);
}
const isVector = (operand) => /^%([xyz]mm\d+|k[0-7])/.test(operand);
const isMemory = (operand) => operand.includes('(');
const registersIn = (operand) => operand.match(/%\w+/g) ?? [];
const onStack = (operand) => /\(%rsp\)$|\(%rbp\)$/.test(operand);

/** Vector instructions that set flags. */
const flagsFromVectors = /^v?(u?comis[sd]|ptest|testp[sd])|^k(or)?test/;
/** Instructions that set flags from their operands, whatever else they do. */
const setsFlags =
  /^(add|sub|and|or|xor|cmp|test|neg|inc|dec|sh[lr]|sa[lr]|bt|adc|sbb|imul|mul|lzcnt|tzcnt|popcnt|andn|bls|bextr|bzhi|ro[lr])/;
/** Stores of one number of a vector. */
const storesNumber = /^v?(mov[dq]|pextr[bwdq]|movs[sd]|extractps)$/;
/** Computes an address, without access; not `leave`. */
const isAddress = (name) => /^lea[wlq]?$/.test(name);
const writesNothing = /^(cmp|test|bt[lqw]?$|ud2|nop|prefetch)/;

/**
 * Returns the branches and addresses of a function that depend on vector registers, and how many
 * branches it has, and how many of them depend on what was loaded from memory.
 *
 * @param {Instruction[]} code
 */
export function leaksOf(code) {
  const SECRET = 1;
  const LOADED = 2;
  const at = new Map(code.map(({ address }, index) => [address, index]));
  /** Of each instruction what is known before it: registers, flags, places of the stack. */
  const states = code.map(() => undefined);
  const leaks = new Map();
  const [branches, loaded] = [new Set(), new Set()];
  const waiting = [[0, new Map()]];
  while (waiting.length > 0) {
    const [index, incoming] = waiting.pop();
    if (index === undefined || index >= code.length) continue;
    const known = states[index];
    const state = new Map(known);
    let changed = known === undefined;
    for (const [place, kind] of incoming) {
      const both = (state.get(place) ?? 0) | kind;
      if (both !== (state.get(place) ?? 0)) {
        state.set(place, both);
        changed = true;
      }
    }
    if (!changed) continue;
    states[index] = new Map(state);
    const { name, operands, text } = code[index];
    const of = (place) => state.get(place) ?? 0;
    const kindOf = (operand) => {
      if (general(operand) !== undefined) return of(general(operand));
      if (isVector(operand)) return SECRET;
      // An address is not what is there.
      if (isAddress(name)) return 0;
      if (onStack(operand)) return of(operand);
      return isMemory(operand) ? LOADED : 0;
    };
    // A nop, which may have prefixes, has no access either.
    const reads = !/\bnop[lw]?\b/.test(text) && !isAddress(name);
    for (const operand of reads ? operands : [])
      // Not a mask, which follows the parentheses. A gather takes its addresses from a vector.
      for (const register of registersIn(/\(.*\)/.exec(operand)?.[0] ?? '')) {
        const kind = isVector(register) ? SECRET : of(general(register));
        if (kind & SECRET) leaks.set(text, 'address');
      }
    const jump = /^j(?!mp)|^(set|cmov)/.test(name);
    if (name.startsWith('j') && name !== 'jmp') {
      branches.add(index);
      if (of('flags') & SECRET) leaks.set(text, 'branch');
      if (of('flags') & LOADED) loaded.add(index);
    }
    const target = operands.at(-1);
    const sources = operands.length > 1 ? operands.slice(0, -1) : operands;
    let kind = 0;
    for (const operand of sources) kind |= kindOf(operand);
    if (isAddress(name))
      for (const register of registersIn(operands[0])) kind |= of(general(register));
    // Two operands: the target is read too, but for moves.
    const moves = /^(mov|lea[wlq]?$|set|v|k|pop|lzcnt|tzcnt|popcnt|bswap$)/.test(name);
    if (target !== undefined && !moves && operands.length <= 2) kind |= kindOf(target);
    if (jump && name[0] !== 'j') kind |= of('flags');
    const clears = /^(xor|sub)/.test(name) && operands.length === 2 && operands[0] === operands[1];
    if (clears) kind = 0;
    if (flagsFromVectors.test(name)) state.set('flags', SECRET);
    else if (setsFlags.test(name)) state.set('flags', kind);
    if (target !== undefined && !writesNothing.test(name) && !/^(j|call|push)/.test(name)) {
      const register = general(target);
      if (register !== undefined) state.set(register, kind);
      else if (onStack(target)) {
        const whole = operands.some(isVector) && !storesNumber.test(name);
        state.set(target, whole ? LOADED : kind);
      }
    }
    if (name.startsWith('call')) {
      // rax, rcx, rdx, rsi, rdi, r8 to r11 and the flags are those of the called function.
      for (const register of [0, 2, 3, 4, 5, 8, 9, 10, 11, 'flags']) state.set(register, 0);
      state.set(0, LOADED);
    }
    if (/^(ret|ud2|hlt|int3)/.test(name)) continue;
    const place = name.startsWith('j') ? at.get(Number.parseInt(operands[0], 16)) : undefined;
    if (place !== undefined) waiting.push([place, state]);
    if (name !== 'jmp') waiting.push([index + 1, state]);
  }
  return {
    leaks: [...leaks].map(([text, kind]) => `${kind}: ${text}`),
    branches: branches.size,
    loaded: loaded.size,
    reached: states.filter(Boolean).length,
  };
}
