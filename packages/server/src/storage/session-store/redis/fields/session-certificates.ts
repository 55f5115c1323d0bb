import type { Sealer } from '../../../../core/secrets/sealer.ts';
import type { SessionCertificate, SessionCertificateStore } from '../../session-certificates.ts';
import type { RedisKeys } from '../keys.ts';
import type { RunScript } from '../scripts.ts';

const prefix = 'certificate:';
const fieldOf = (id: string) => prefix + id;

/**
 * Converts a certificate to a field of the hash of its session and back. The text is a seal and JSON, as in the record of a
 * session. The seal also covers the hash of the token, so that nobody copies a certificate to another session.
 */
export interface CertificateCodec {
  write(tokenHash: string, certificate: SessionCertificate): string;
  /** The fields of the first certificates of a session. */
  fieldsOf(tokenHash: string, certificates: readonly SessionCertificate[]): Readonly<Record<string, string>>;
  /** Returns `null` for another field, and when this controller has not written this one of this session. */
  read(tokenHash: string, field: string, text: string): SessionCertificate | null;
}

export function certificateCodec(sealer: Sealer): CertificateCodec {
  const sealed = (tokenHash: string, json: string) => `API session certificate ${tokenHash} ${json}`;
  const write = (tokenHash: string, certificate: SessionCertificate) => {
    const json = JSON.stringify(certificate);
    return sealer.sign(sealed(tokenHash, json)) + json;
  };
  return {
    write,

    fieldsOf: (tokenHash, certificates) => ({
      ...(certificates.length > 0 && { certificates: certificates.map(({ id }) => id).join(' ') }),
      ...Object.fromEntries(certificates.map((one) => [fieldOf(one.id), write(tokenHash, one)])),
    }),

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
  onChange,
}: {
  run: RunScript;
  keys: RedisKeys;
  codec: CertificateCodec;
  onChange: (tokenHash: string) => Promise<void>;
}): SessionCertificateStore {
  return {
    async list(tokenHash) {
      const fields = await run((client) => client.readCertificates(keys.session(tokenHash)));
      return fields.flatMap(({ name, value }) => codec.read(tokenHash, name, value) ?? []);
    },

    async add(tokenHash, certificate, { limit, removedIds = [] }) {
      const value = codec.write(tokenHash, certificate);
      const sent = { limit, id: certificate.id, value, removedIds };
      const added = await run((client) => client.addCertificate(keys.session(tokenHash), sent));
      if (added === 'added') await onChange(tokenHash);
      return added;
    },

    async remove(tokenHash, id) {
      const isRemoved = await run((client) => client.removeCertificate(keys.session(tokenHash), id));
      if (isRemoved) await onChange(tokenHash);
      return isRemoved;
    },
  };
}
