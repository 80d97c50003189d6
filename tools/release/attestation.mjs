// Attestations with a key of this machine, in place of those that GitHub's identity signs: the same
// statements of in-toto in the same bundles of Sigstore, which Sigstore's own verifier reads. What
// a key cannot show is who signed, and when: that takes Sigstore's certificates and its log.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { fetched } from './fetch.mjs';

const TYPE = 'application/vnd.in-toto+json';

/** Returns a new key: `attest(subjects, predicateType, predicate)` and `verify(bundle, file)`. */
export function attestingKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const hint = createHash('sha256').update(der).digest('base64');

  /** Returns a bundle for subjects, `[file name, SHA-256 in hex]`. */
  function attest(subjects, predicateType, predicate) {
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: subjects.map(([name, sha256]) => ({ name, digest: { sha256 } })),
      predicateType,
      predicate,
    };
    const payload = Buffer.from(JSON.stringify(statement));
    // The pre-authentication encoding of DSSE.
    const head = `DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `;
    const sig = sign('sha256', Buffer.concat([Buffer.from(head), payload]), privateKey);
    return {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint } },
      dsseEnvelope: {
        payload: payload.toString('base64'),
        payloadType: TYPE,
        signatures: [{ sig: sig.toString('base64') }],
      },
    };
  }

  /** Returns the predicate's type; throws if the signature is wrong or the file is no subject. */
  async function verify(bundle, file) {
    const { Verifier, toSignedEntity } = await fetched('@sigstore', 'verify', 'dist', 'index.js');
    const { bundleFromJSON } = await fetched('@sigstore', 'bundle', 'dist', 'index.js');
    const trusted = {
      certificateAuthorities: [],
      timestampAuthorities: [],
      tlogs: [],
      ctlogs: [],
      publicKey: (asked) => {
        if (asked !== hint) throw new Error('another key signed this');
        return { publicKey, validFor: () => true };
      },
    };
    const verifier = new Verifier(trusted, {
      tlogThreshold: 0,
      ctlogThreshold: 0,
      tsaThreshold: 0,
    });
    verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
    const { subject, predicateType } = JSON.parse(
      Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString(),
    );
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (!subject.some(({ digest: { sha256 } }) => sha256 === digest))
      throw new Error(`${file} is not what was attested`);
    return predicateType;
  }

  return { attest, verify };
}
