// The classes of typage over millrace/age, for typage's own tests: test/dependents/age.mjs puts
// this file in the place of lib/index.ts, which becomes lib/original.ts. Keys of WebCrypto and the
// armor, which is a function there, are left to the original.
import { createRequire } from 'node:module';
import * as original from './original.js';

export * from './original.js';

const age = createRequire(process.env.MILLRACE_ROOT + '/package.json')('millrace/age');
const bytesOf = async (source: any) =>
  source instanceof ReadableStream
    ? new Uint8Array(await new Response(source).arrayBuffer())
    : source;

export const identityToRecipient = async (identity: any) =>
  typeof identity === 'string'
    ? age.identityToRecipient(identity)
    : original.identityToRecipient(identity);
export const generateIdentity = async () => age.generateIdentity();

/** A stream of a result, with the size that typage predicts. */
function streamOf(transform: any, source: ReadableStream, size: Promise<any> | any) {
  return Object.assign(source.pipeThrough(transform), { size });
}

export class Encrypter extends original.Encrypter {
  #options: any = { recipients: [] };

  setPassphrase(passphrase: string) {
    super.setPassphrase(passphrase);
    this.#options = { ...this.#options, passphrase };
  }

  setScryptWorkFactor(workFactor: number) {
    super.setScryptWorkFactor(workFactor);
    this.#options = { ...this.#options, workFactor };
  }

  addRecipient(recipient: any) {
    if (this.#options.passphrase !== undefined) throw new Error('there is a passphrase');
    if (typeof recipient === 'string')
      age
        .encryptStream({ recipients: recipient })
        .destroy()
        .on('error', () => {});
    super.addRecipient(recipient);
    this.#options.recipients.push(recipient);
  }

  async encrypt(file: any): Promise<any> {
    const { recipients, ...others } = this.#options;
    if (recipients.some((each: any) => typeof each !== 'string')) return super.encrypt(file);
    const options = others.passphrase === undefined ? { recipients } : others;
    if (!(file instanceof ReadableStream)) return new Uint8Array(await age.encrypt(file, options));
    // The header of a stream is as long as that of a message.
    const { length } = await age.encrypt('', options);
    const size = (plain: number) =>
      length + plain + 16 * (Math.max(1, Math.ceil(plain / 65536)) - 1);
    return streamOf(age.encryptTransformStream(options), file, size);
  }
}

export class Decrypter extends original.Decrypter {
  #identities: string[] = [];
  #passphrase: string | undefined;
  #isOther = false;

  addPassphrase(passphrase: string) {
    super.addPassphrase(passphrase);
    this.#passphrase = passphrase;
  }

  addIdentity(identity: any) {
    if (typeof identity === 'string') {
      age
        .decryptStream({ identities: identity })
        .destroy()
        .on('error', () => {});
      this.#identities.push(identity);
    } else this.#isOther = true;
    super.addIdentity(identity);
  }

  async decrypt(file: any, format: any = 'uint8array'): Promise<any> {
    if (this.#isOther) return super.decrypt(file, format);
    const identities = this.#identities.length > 0 ? this.#identities : age.generateIdentity();
    const options = { identities, ...(this.#passphrase && { passphrase: this.#passphrase }) };
    if (!(file instanceof ReadableStream)) {
      const opened = await age.decrypt(await bytesOf(file), options);
      return format === 'text' ? opened.toString() : new Uint8Array(opened);
    }
    const [head, rest] = file.tee();
    const result = streamOf(age.decryptTransformStream(options), rest, undefined) as any;
    // typage rejects here for a wrong header; a stream of Millrace fails when it is read.
    const header = await headerSize(head);
    result.size = (sealed: number) => {
      const payload = sealed - header - 16;
      return payload - 16 * Math.ceil(payload / 65552);
    };
    return result;
  }
}

/** Returns the size of a header, and drops the rest of the stream. */
async function headerSize(stream: ReadableStream): Promise<number> {
  let text = '';
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (!done) text += Buffer.from(value).toString('latin1');
    const end = /\n--- [^\n]*\n/.exec(text);
    if (end !== null || done || text.length > 100_000) {
      void reader.cancel();
      return end === null ? 0 : end.index + end[0].length;
    }
  }
}
