import type { Sealer } from '../../lib/sealer.ts';
import type { SessionCertificate, SessionCertificateStore } from '../session-certificates.ts';
import type { RedisKeys } from './keys.ts';
import type { Run } from './scripts.ts';

const prefix = 'certificate:';
const fieldOf = (id: string) => prefix + id;

/**
 * Converts a certificate to a field of the hash of its session and back. The text is a seal and JSON, as in the record of a
 * session. The seal also covers the hash of the token, so that nobody copies a certificate to another session.
 */
export interface CertificateCodec {
  /** Returns the name and the value of the field. */
  write(tokenHash: string, certificate: SessionCertificate): readonly [string, string];
  /** Returns `null` for another field, and when this controller has not written this one of this session. */
  read(tokenHash: string, field: string, text: string): SessionCertificate | null;
}

export function certificateCodec(sealer: Sealer): CertificateCodec {
  const sealed = (tokenHash: string, json: string) => `API session certificate ${tokenHash} ${json}`;
  return {
    write(tokenHash, certificate) {
      const json = JSON.stringify(certificate);
      return [fieldOf(certificate.id), sealer.sign(sealed(tokenHash, json)) + json];
    },

    read(tokenHash, field, text) {
      if (!field.startsWith(prefix)) return null;
      const start = text.indexOf('{');
      const json = text.slice(start);
      if (start < 0 || !sealer.isSignature(text.slice(0, start), sealed(tokenHash, json))) return null;
      const certificate: SessionCertificate = JSON.parse(json);
      return field === fieldOf(certificate.id) ? certificate : null;
    },
  };
}

/** Stores the certificates of a session as fields of its hash, so that they end with its key. */
export function createSessionCertificates({
  run,
  keys,
  codec,
}: {
  run: Run;
  keys: RedisKeys;
  codec: CertificateCodec;
}): SessionCertificateStore {
  return {
    async list(tokenHash) {
      const fields = await run((client) => client.hGetAll(keys.session(tokenHash)));
      return Object.entries(fields).flatMap(([field, text]) => codec.read(tokenHash, field, text) ?? []);
    },

    add(tokenHash, certificate, { limit, removedIds = [] }) {
      const [name, value] = codec.write(tokenHash, certificate);
      const removed = removedIds.map(fieldOf);
      return run((client) => client.replaceFields(keys.session(tokenHash), { prefix, limit, name, value, removed }));
    },

    remove: async (tokenHash, id) => (await run((client) => client.hDel(keys.session(tokenHash), fieldOf(id)))) === 1,
  };
}
