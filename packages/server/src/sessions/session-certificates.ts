import type { clientApi, SessionCertificateDetail } from '@edge-controller/shared-types';
import { notFound } from '../core/api-error.ts';
import { compareRows, evaluate } from '../core/filter/evaluate.ts';
import type { Page, Query } from '../core/filter/page.ts';
import { shortId } from '../core/secrets/ids.ts';
import { isoTime } from '../core/time/clock.ts';
import { addSessionCertificate, sessionCertificateOf } from '../credentials/certificates/session-certificate.ts';
import { select } from '../storage/database/select.ts';
import type { SessionCertificate } from '../storage/session-store/session-certificates.ts';
import { sessionCertificateFields } from '../storage/session-store/session-certificates.ts';
import type { Handlers, SessionCall } from './dependencies.ts';

const noun = 'apiSessionCertificate';
/** Milliseconds. */
const lifetime = 12 * 3_600_000;
/** Milliseconds. The certificate is valid from this long before now, because clocks differ. */
const backdating = 60_000;

const linksOf = (id: string) => ({ self: { href: `./current-api-session/certificates/${id}` } });

export const currentApiSessionCertificates: Handlers<typeof clientApi>['currentApiSessionCertificates'] = {
  async list(call, { query }) {
    return pageOf(await call.sessions.certificates.list(call.session.stored.tokenHash), call.session.stored.id, query);
  },

  async get(call, { params: { id } }) {
    const certificates = await call.sessions.certificates.list(call.session.stored.tokenHash);
    const found = certificates.find((certificate) => certificate.id === id);
    if (!found) throw notFound(noun, id);
    return detailOf(found);
  },

  async create(call, { body: { csr } }) {
    const id = shortId();
    const chain = await issue(call, id, csr);
    await addSessionCertificate(call, sessionCertificateOf(call, chain, id));
    return { _links: linksOf(id), id, certificate: chain, cas: call.pki.caPem };
  },

  async delete({ sessions, session }, { params: { id } }) {
    if (!(await sessions.certificates.remove(session.stored.tokenHash, id))) throw notFound(noun, id);
  },
};

/** Returns PEM of the certificate and its intermediates. */
async function issue({ pki, clock, session }: SessionCall, id: string, csr: string): Promise<string> {
  const { stored, principal } = session;
  const notBefore = clock() - backdating;
  const { chainPem } = await pki.issueClientCertificate({
    csr,
    commonName: principal.id,
    uri: `spiffe://${pki.trustDomain}/identity/${principal.id}/apiSession/${stored.id}/apiSessionCertificate/${id}`,
    notBefore,
    notAfter: notBefore + lifetime,
  });
  return chainPem;
}

/** A session has so few certificates that a list reads all of them. */
function pageOf(
  certificates: readonly SessionCertificate[],
  apiSessionId: string,
  query: Query,
): Page<SessionCertificateDetail> {
  const { expression, sort, limit, offset, isEmpty } = select(query, sessionCertificateFields);
  const matches = certificates
    .map((certificate) => ({ ...certificate, apiSessionId }))
    .filter((row) => expression === null || evaluate(expression, row))
    .sort((left, right) => compareRows(sort, left, right));
  const page = matches.slice(offset, limit === 'none' ? undefined : offset + limit);
  return {
    batches: isEmpty ? [] : [page.map(detailOf)],
    filterableFields: Object.keys(sessionCertificateFields),
    pagination: { limit, offset, totalCount: matches.length },
  };
}

function detailOf(certificate: SessionCertificate): SessionCertificateDetail {
  const { id, subject, fingerprint, validFrom, validTo, certPem } = certificate;
  const createdAt = isoTime(certificate.createdAt);
  return {
    _links: linksOf(id),
    ...{ createdAt, id, tags: {}, updatedAt: createdAt },
    ...{ subject, fingerprint, validFrom: isoTime(validFrom), validTo: isoTime(validTo), certificate: certPem },
  };
}
