import type { FilterFields } from '../../core/filter/page.ts';

/** A certificate that belongs to one API session and ends with it. */
export interface SessionCertificate {
  /** Unique in its session. */
  readonly id: string;
  /** A distinguished name, such as `CN=device 7,O=Example`. */
  readonly subject: string;
  /** SHA-1 in lower-case hex. */
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
  /** PEM of the certificate, and of its intermediates if the client got them with it. */
  readonly certPem: string;
  readonly createdAt: number;
}

/** How `add` ended: the session has this certificate, it has too many, or it does not exist. */
export type AddedCertificate = 'added' | 'full' | 'no session';

/**
 * Stores the certificates of API sessions. They disappear in the same moment as their session. Nothing here creates a session
 * or restarts its timeout.
 */
export interface SessionCertificateStore {
  /** All certificates of a session, in any order. Empty when it does not exist. */
  list(tokenHash: string): Promise<readonly SessionCertificate[]>;
  /**
   * Removes the certificates `removedIds` and adds one, in one atomic step. It changes nothing when the session would then have
   * more than `limit` certificates.
   */
  add(
    tokenHash: string,
    certificate: SessionCertificate,
    options: { readonly limit: number; readonly removedIds?: readonly string[] },
  ): Promise<AddedCertificate>;
  /** Returns true to exactly one of several concurrent callers. */
  remove(tokenHash: string, id: string): Promise<boolean>;
}

/** The filter fields of API session certificates. */
export const sessionCertificateFields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'createdAt', type: 'datetime' },
  tags: { column: null, type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
  apiSession: { column: 'apiSessionId', type: 'string' },
  subject: { column: 'subject', type: 'string' },
  fingerprint: { column: 'fingerprint', type: 'string' },
};
