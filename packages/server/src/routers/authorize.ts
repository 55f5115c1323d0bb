import type { ServiceAccess } from '../access/service-access/service-access.ts';
import type { JudgedServiceSession, ServiceSessions } from '../access/service-sessions/service-sessions.ts';
import { RecentlyUsed } from '../core/cache/recently-used.ts';
import { tokenHash } from '../core/secrets/ids.ts';
import { sessionIdOf } from '../pki/session-token.ts';
import type { ServiceSessionType } from '../storage/session-store/service-sessions.ts';
import type { SessionStore } from '../storage/session-store/session-store.ts';

/** What an application does next, as its router of version 2 tells it. */
export const retryHints = { later: 0, startOver: 2, never: 3 } as const;
const { later, startOver, never } = retryHints;

/** Why an application may not dial or host. The numbers and texts are those of the wire. */
export const problems = {
  internal: { code: 1, text: 'internal error', retryHint: later },
  apiSession: { code: 2, text: 'invalid api session', retryHint: startOver },
  session: { code: 3, text: 'invalid session', retryHint: startOver },
  sessionType: { code: 4, text: 'incorrect session type', retryHint: startOver },
  router: { code: 5, text: 'invalid edge router for session', retryHint: startOver },
  service: { code: 6, text: 'invalid service', retryHint: never },
  terminator: { code: 8, text: 'invalid terminator', retryHint: never },
  precedence: { code: 9, text: 'invalid precedence', retryHint: never },
  cost: { code: 10, text: 'invalid cost', retryHint: never },
  encryption: { code: 11, text: 'encryption required on service, but no public key provided', retryHint: startOver },
} as const;

export interface AuthorizationProblem {
  readonly code: number;
  readonly text: string;
  readonly retryHint: number;
}

/** What an application shows to a router. */
export interface Presented {
  /** JWT of the session of a service. */
  readonly sessionToken: string;
  readonly apiSessionToken: string;
}

export type Authorized = { readonly valid: JudgedServiceSession } | { readonly problem: AuthorizationProblem };

/** Sessions that do not exist: some applications ask for them hundreds of times per second. */
const maxRefused = 10_000;
/** Characters of the id of a session, at most. */
const maxIdLength = 100;

interface Dependencies {
  readonly sessions: SessionStore;
  readonly serviceSessions: ServiceSessions;
  readonly serviceAccess: ServiceAccess;
}

/** Decides whether an application may use a service through a router. It trusts nothing that the router says about that. */
export class Authorizer {
  readonly #dependencies: Dependencies;
  /** By the id of the session. The id of one that has ended never comes back. */
  readonly #refused = new RecentlyUsed<true>(maxRefused);

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async authorize(routerId: string, presented: Presented, type: ServiceSessionType): Promise<Authorized> {
    const id = await sessionIdOf(presented.sessionToken);
    const isId = id !== null && id.length <= maxIdLength;
    if (isId && this.#refused.get(id)) return { problem: problems.session };
    const { sessions, serviceSessions, serviceAccess } = this.#dependencies;
    const [found, [apiSession]] = await Promise.all([
      isId ? sessions.serviceSessions.find(id) : null,
      sessions.load([tokenHash(presented.apiSessionToken)]),
    ]);
    if (!apiSession) return { problem: problems.apiSession };
    const isOfOther = found !== null && found.apiSession.id !== apiSession.id;
    const [valid] = found && !isOfOther ? await serviceSessions.validate([found]) : [];
    if (!valid) {
      // Who presents the session of somebody else must not end it.
      if (isId && !isOfOther) this.#refused.set(id, true);
      return { problem: problems.session };
    }
    if (valid.session.type !== type) return { problem: problems.sessionType };
    const pair = { identityId: apiSession.identityId, serviceId: valid.session.serviceId };
    const routers = await serviceAccess.routersOf(pair);
    const isUsable = routers.some((router) => router.id === routerId && !router.disabled);
    return isUsable ? { valid } : { problem: problems.router };
  }
}
