import type { ApiSessionDetail, managementApi } from '@edge-controller/shared-types';
import { notFound } from '../core/api-error.ts';
import { mapPage } from '../core/filter/map-page.ts';
import { requireRightsOf } from '../credentials/rights/higher-identities.ts';
import { needsStepUp } from '../credentials/rights/needs-step-up.ts';
import type { LiveApiSession } from '../storage/session-store/session-store.ts';
import type { Handlers, SessionCall } from './dependencies.ts';
import { endSessionBy } from './end-session.ts';
import type { Principal } from './load-principals.ts';
import { loadPrincipals } from './load-principals.ts';
import { apiSessionDetail } from './session-detail.ts';
import { evaluate } from './sessions.ts';

async function details(call: SessionCall, rows: readonly LiveApiSession[]): Promise<ApiSessionDetail[]> {
  const byId = await loadPrincipals(
    call.database,
    rows.map((row) => row.identityId),
  );
  const shown = rows.flatMap((stored) => {
    const principal = byId.get(stored.identityId);
    return principal ? [{ stored, principal, hasToken: mayShowToken(call, stored, principal) }] : [];
  });
  await recordTokens(
    call,
    shown.flatMap(({ stored, hasToken }) => (hasToken ? [stored] : [])),
  );
  return shown.map(({ stored, principal, hasToken }) => {
    const token = hasToken ? call.sealer.open(stored.sealedToken, stored.id) : '';
    return apiSessionDetail({ stored, token, principal, state: evaluate(call, stored, principal) });
  });
}

/** Before anybody has them. The own token is in the request already. */
async function recordTokens(call: SessionCall, sessions: readonly LiveApiSession[]): Promise<void> {
  const { stored, principal } = call.session;
  const others = sessions.filter(({ id }) => id !== stored.id);
  if (others.length === 0) return;
  const [one] = others.length === 1 ? others : [];
  const apiSessionId = one?.id ?? null;
  const payload = { by: principal.id, apiSessionId, tokens: others.length };
  await call.audit.publish(call, 'apiSession.tokensRead', payload);
  // Of the own ones, the reader is the owner.
  const unmarked = others.filter(({ identityId, tokenReadBy }) => identityId !== principal.id && tokenReadBy === null);
  await Promise.all(unmarked.map(({ tokenHash }) => call.sessions.update(tokenHash, { tokenReadBy: principal.id })));
}

/**
 * Only administrators see tokens: whoever has the token of a session acts as its identity. Of their own other sessions they see
 * them after a step-up, because a newer session can do what an older one cannot.
 */
function mayShowToken(call: SessionCall, { id }: LiveApiSession, owner: Principal): boolean {
  const { principal, stored } = call.session;
  return principal.isAdmin && (id === stored.id || !needsStepUp(call, owner));
}

export const apiSessions: Handlers<typeof managementApi>['apiSessions'] = {
  list: async (call, { query }) => mapPage(await call.sessions.list(query), (rows) => details(call, rows)),

  async get(call, { params: { id } }) {
    const stored = await call.sessions.find(id);
    const [detail] = await details(call, stored ? [stored] : []);
    if (!detail) throw notFound('apiSession', id);
    return detail;
  },

  async delete(call, { params: { id } }) {
    const stored = await call.sessions.find(id);
    if (stored) await requireRightsOf(call.database.db, call.session.principal, stored.identityId);
    if (!stored || !(await endSessionBy(call, stored, 'administrator'))) throw notFound('apiSession', id);
  },
};
