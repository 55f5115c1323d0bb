import type { TLSSocket } from 'node:tls';
import { readSubjectNames } from '@edge-controller/certificate-path';
import { presentedCertificates, sentCertificates } from '@edge-controller/handshake-guard';
import type { Clock } from '../core/time/clock.ts';
import { verifyByNetwork } from '../credentials/certificates/verify-client-certificate.ts';
import { verifyPresented } from '../credentials/certificates/verify-presented.ts';
import type { NetworkPki } from '../pki/network-pki.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';

interface Dependencies {
  readonly database: EntityStore;
  readonly pki: NetworkPki;
  readonly clock: Clock;
}

/** A router as administrators have set it. */
export interface RouterRow {
  readonly fingerprint: string;
  readonly cost: number;
  readonly noTraversal: boolean;
}

/**
 * Decides whether a connection is that of a router. Only the leaf counts, because TLS has proven its key alone: it is issued by the
 * network, valid now, names this router, and is the one that the router has enrolled with.
 */
export async function checkRouter(
  dependencies: Dependencies,
  routerId: string,
  socket: TLSSocket,
): Promise<RouterRow | { readonly refusal: string }> {
  const presented = {
    certificates: presentedCertificates(socket),
    get sentCertificates() {
      return sentCertificates(socket);
    },
  };
  const verified = await verifyPresented(presented, { verify: (sent) => verifyByNetwork(dependencies, sent) });
  if (verified.client === null) return { refusal: verified.reason };
  const { certificate } = verified.client;
  if (certificate.dates !== 'current') return { refusal: `the certificate is ${certificate.dates}` };
  const names = readSubjectNames(certificate.der)?.commonNames ?? [];
  if (names.length !== 1 || names[0] !== routerId) return { refusal: 'the certificate names another router' };
  const row = await readRouter(dependencies, routerId);
  if (row === null) return { refusal: 'there is no such router, or it is disabled or has not enrolled' };
  return row.fingerprint === certificate.fingerprint ? row : { refusal: 'the router has another certificate' };
}

/** Reads a router that may connect. `null`: there is none. */
export async function readRouter({ database }: Pick<Dependencies, 'database'>, id: string): Promise<RouterRow | null> {
  const row = await database.db
    .selectFrom('transitRouters')
    .select(['fingerprint', 'disabled', 'cost', 'noTraversal', 'isVerified'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || row.disabled === 1 || row.isVerified !== 1 || row.fingerprint === null) return null;
  return { fingerprint: row.fingerprint, cost: row.cost, noTraversal: row.noTraversal === 1 };
}
