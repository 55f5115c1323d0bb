import type { AuditLog } from '../audit/audit-log.ts';
import { RecentlyUsed } from '../core/cache/recently-used.ts';
import { addressGroup } from '../core/text/address-group.ts';
import type { ActiveSession } from './active-session.ts';

/** Sessions and networks that are kept in memory, so that each is one entry. */
const size = 10_000;

export interface TokenUse {
  readonly session: ActiveSession;
  readonly clientAddress: string;
  readonly requestId: () => string;
}

/**
 * Records that somebody acts with a token which an administrator has read. The owner goes on using it, and nothing in a request tells the
 * two apart but where it comes from. So the first request from each network (an IPv4 address, the /64 of an IPv6 address) other than
 * that of the sign-in is one entry; a controller forgets what it has recorded at its end.
 */
export class TokenUses {
  readonly #audit: AuditLog;
  readonly #recorded = new RecentlyUsed<true>(size);

  constructor(audit: AuditLog) {
    this.#audit = audit;
  }

  /** @throws ApiError `STORE_UNAVAILABLE` when the entry cannot be written */
  async record({ session, ...request }: TokenUse): Promise<void> {
    const { id: apiSessionId, identityId, ipAddress, tokenReadBy: readBy } = session.record;
    const network = addressGroup(request.clientAddress);
    const key = `${apiSessionId} ${network}`;
    if (readBy === null || network === addressGroup(ipAddress) || this.#recorded.get(key)) return;
    const used = { identityId, apiSessionId, readBy, ipAddress: request.clientAddress };
    await this.#audit.publish({ session, ...request }, 'apiSession.tokenUsed', used);
    this.#recorded.set(key, true);
  }
}
