/** Bytes as hex where there is no Buffer. */

type Native = (bytes: Uint8Array) => string;

interface Tools {
  /** `Uint8Array.prototype.toHex`, where the runtime has it. */
  readonly native: Native | undefined;
  /** The codes of the digits of each byte, two by two. */
  readonly codes: Uint8Array;
}

let tools: Tools | undefined;

function makeTools(): Tools {
  const prototype = Uint8Array.prototype as { toHex?: Native };
  return {
    native: Object.hasOwn(prototype, 'toHex')
      ? (Function.prototype.call.bind(prototype.toHex!) as Native)
      : undefined,
    codes: Uint8Array.from({ length: 512 }, (_, at) =>
      ((at >> (at & 1 ? 1 : 5)) & 15).toString(16).charCodeAt(0),
    ),
  };
}

/** Returns bytes as hex. Eight at once take half of the time of joining the digits of each. */
export function hexOf(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  const { native, codes } = (tools ??= makeTools());
  if (native) return native(bytes.subarray(start, end));
  const { fromCharCode } = String;
  let text = '';
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const [a, b, c, d] = [
      bytes[at]! << 1,
      bytes[at + 1]! << 1,
      bytes[at + 2]! << 1,
      bytes[at + 3]! << 1,
    ];
    const [e, f, g, h] = [
      bytes[at + 4]! << 1,
      bytes[at + 5]! << 1,
      bytes[at + 6]! << 1,
      bytes[at + 7]! << 1,
    ];
    // prettier-ignore
    text += fromCharCode(
      codes[a]!, codes[a + 1]!, codes[b]!, codes[b + 1]!, codes[c]!, codes[c + 1]!,
      codes[d]!, codes[d + 1]!, codes[e]!, codes[e + 1]!, codes[f]!, codes[f + 1]!,
      codes[g]!, codes[g + 1]!, codes[h]!, codes[h + 1]!,
    );
  }
  for (; at < end; at++) {
    const a = bytes[at]! << 1;
    text += fromCharCode(codes[a]!, codes[a + 1]!);
  }
  return text;
}
