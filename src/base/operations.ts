/** Predicates over the numbers of {@link Operation}: nothing else depends on their order. */
import { Operation, OPERATION_COUNT } from './protocol.js';

/** Returns true for the hash or MAC of one message. */
export function isHashOrHmac(operation: Operation): boolean {
  return operation <= Operation.Hmac;
}

/** Returns true for a hash, a MAC or a cipher of one whole message. */
export function isOneMessage(operation: Operation): boolean {
  return operation <= Operation.Open;
}

/** Returns true for a cipher of one whole message. */
export function isMessageCipher(operation: Operation): boolean {
  return operation >= Operation.Encrypt && operation <= Operation.Open;
}

/** Returns true for runs of chunks. */
export function isChunks(operation: Operation): boolean {
  return operation === Operation.SealChunks || operation === Operation.OpenChunks;
}

/** Returns true if the operation's algorithm is a cipher. */
export function isCipher(operation: Operation): boolean {
  return isMessageCipher(operation) || isChunks(operation);
}

/** Returns true if the operation makes its tag instead of reading it. */
export function makesTag(operation: Operation): boolean {
  return operation === Operation.Encrypt || operation === Operation.Seal;
}

/** Returns true for hashes of many messages. */
export function isMany(operation: Operation): boolean {
  return operation === Operation.HashMany || operation === Operation.HmacMany;
}

/** Returns true if the operation's algorithm is the hash of an HMAC, which has a key. */
export function isMac(operation: Operation): boolean {
  return (
    operation === Operation.Hmac ||
    operation === Operation.MacUpdate ||
    operation === Operation.MacFinish ||
    operation === Operation.HmacMany
  );
}

/** Returns true if the result is a digest or a MAC of one message. */
export function givesDigest(operation: Operation): boolean {
  return (
    isHashOrHmac(operation) ||
    operation === Operation.Finish ||
    operation === Operation.MacFinish ||
    operation === Operation.JoinParts
  );
}

/** Returns true for the number of an operation. */
export function isOperation(number: number): number is Operation {
  return Number.isSafeInteger(number) && number >= 0 && number < OPERATION_COUNT;
}

/** Returns true for the operations with asymmetric keys. */
export function isPublicKey(operation: Operation): boolean {
  return operation >= Operation.ImportKey && operation <= Operation.HpkeRecipient;
}

/** Returns true if the result of a public-key operation is no secret, as a signature. */
export function givesPublic(operation: Operation): boolean {
  return (
    operation <= Operation.VerifySignature ||
    operation === Operation.PublicEncrypt ||
    operation === Operation.HpkeSeal
  );
}

/** Returns true for operations that fill a reserved key. */
export function fillsKey(operation: Operation): boolean {
  return operation === Operation.ImportKey || operation === Operation.GenerateKey;
}

/** Returns true for key derivations, password hashes and key wrap. */
export function isDerivation(operation: Operation): boolean {
  return operation >= Operation.Scrypt;
}

/** Returns true if the result is made of nothing but secrets: the states of a MAC, derived keys. */
export function derivesSecret(operation: Operation): boolean {
  return operation === Operation.MacBegin || isDerivation(operation);
}
