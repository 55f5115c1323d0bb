import type { Leaf } from '@edge-controller/certificate-path';
import { readCertificate } from '@edge-controller/certificate-path';
import { ApiError } from '../../core/api-error.ts';
import { shortId } from '../../core/secrets/ids.ts';
import { fingerprintOf } from '../../pki/certificate-prints.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import type { AddedCertificate, SessionCertificate } from '../../storage/session-store/session-certificates.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';
import type { ClientCertificate, Dependencies } from './verify-client-certificate.ts';

/** A call with an API session. */
interface SessionCall extends Pick<Dependencies, 'clock'> {
  readonly sessions: Pick<SessionStore, 'certificates'>;
  readonly session: { readonly stored: { readonly tokenHash: string } };
}

/** How many certificates an API session has at most. */
const maxSessionCertificates = 100;

/** Describes a certificate, the first one of `pem`, for an API session. */
export function sessionCertificateOf(
  call: Pick<Dependencies, 'clock'>,
  pem: string,
  id = shortId(),
): SessionCertificate {
  const read = readCertificate(firstCertificateOf(pem));
  return describe(call, read, { certPem: pem, id, fingerprint: fingerprintOf(read.der) });
}

/** Describes the client certificate that opens an API session. */
export function signInCertificateOf(
  call: Pick<Dependencies, 'clock'>,
  { read, certPem, fingerprint }: Pick<ClientCertificate, 'read' | 'certPem' | 'fingerprint'>,
): SessionCertificate {
  return describe(call, read, { certPem, id: shortId(), fingerprint });
}

function describe(
  { clock }: Pick<Dependencies, 'clock'>,
  { subject, notBefore, notAfter }: Leaf,
  given: Pick<SessionCertificate, 'id' | 'certPem' | 'fingerprint'>,
): SessionCertificate {
  return {
    ...given,
    subject: subject.rfc4514,
    validFrom: notBefore * 1_000,
    validTo: notAfter * 1_000,
    createdAt: clock(),
  };
}

/**
 * Adds a certificate to the API session of the caller. If it has too many, those that have expired are removed.
 *
 * @throws ApiError `MAX_API_SESSION_CERTIFICATES_REACHED` when none has expired; `UNAUTHORIZED` when the session has ended
 */
export async function addSessionCertificate(call: SessionCall, certificate: SessionCertificate): Promise<void> {
  let result = await add(call, certificate, []);
  if (result === 'full') {
    const now = call.clock();
    const expired = (await list(call)).filter(({ validTo }) => validTo <= now);
    result = await add(call, certificate, expired);
  }
  if (result === 'full') throw new ApiError('MAX_API_SESSION_CERTIFICATES_REACHED');
  if (result === 'no session') throw new ApiError('UNAUTHORIZED');
}

/**
 * Adds the certificate that replaces another one of its authenticator to the API session of the caller, and removes the one
 * with `oldFingerprint`. When the session has too many, the one that expires first is removed. Returns false when nothing was
 * changed: the session has ended, or other requests have filled it meanwhile.
 *
 * @param certPem PEM of the new certificate
 */
export async function replaceSessionCertificate(
  call: SessionCall,
  { oldFingerprint, certPem }: { oldFingerprint: string | null; certPem: string },
): Promise<boolean> {
  const present = await list(call);
  const old = present.filter(({ fingerprint }) => fingerprint === oldFingerprint);
  const isFull = present.length - old.length >= maxSessionCertificates;
  const surplus = isFull ? present.toSorted((left, right) => left.validTo - right.validTo).slice(0, 1) : [];
  return (await add(call, sessionCertificateOf(call, certPem), [...old, ...surplus])) === 'added';
}

function list({ sessions, session }: SessionCall): Promise<readonly SessionCertificate[]> {
  return sessions.certificates.list(session.stored.tokenHash);
}

function add(
  { sessions, session }: SessionCall,
  certificate: SessionCertificate,
  removed: readonly SessionCertificate[],
): Promise<AddedCertificate> {
  const removedIds = removed.map(({ id }) => id);
  return sessions.certificates.add(session.stored.tokenHash, certificate, {
    limit: maxSessionCertificates,
    removedIds,
  });
}
