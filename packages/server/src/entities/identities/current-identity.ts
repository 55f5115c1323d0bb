import type { clientApi, EntityData } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { loadPerTurn } from '../../core/turns/load-per-turn.ts';
import { noToken } from '../../credentials/enrollment-tokens/enrollment-token.ts';
import { isProvenLately } from '../../credentials/rights/needs-step-up.ts';
import { readEntities } from '../../crud/read-entities.ts';
import type { Dependencies, Handlers, SessionCall } from '../dependencies.ts';

const self = './current-identity';
const links = { self: { href: self }, mfa: { href: `${self}/mfa` } };

/** What identities see of themselves does not depend on the caller whose request is the first of a turn. */
function withoutSession(call: SessionCall): Dependencies {
  return Object.create(call, { session: { value: undefined } });
}

/** Creates the handlers of `/current-identity`. All requests of one event-loop turn share their queries. */
export function createCurrentIdentity(): Handlers<typeof clientApi>['currentIdentity'] {
  const read = loadPerTurn<Dependencies, EntityData<'identities'>>(async (dependencies, ids) => {
    const details = await readEntities(dependencies, 'identities', ids);
    return new Map(details.map((detail) => [detail.id, detail]));
  });
  return {
    async get(call) {
      const detail = await read(withoutSession(call), call.session.principal.id);
      // The identity was deleted during this request. Later requests get the same error.
      if (!detail) throw new ApiError('UNAUTHORIZED');
      // Whoever has a router, or a session that somebody has lost, could enroll as this identity, for good.
      const isShown = call.session.record.usesRouters === false && isProvenLately(call);
      const enrollment = isShown ? detail.enrollment : withoutTokens(detail.enrollment);
      return { ...detail, enrollment, _links: links };
    },
  };
}

function withoutTokens(enrollments: EntityData<'identities'>['enrollment']): EntityData<'identities'>['enrollment'] {
  return Object.fromEntries(Object.entries(enrollments).map(([method, shown]) => [method, { ...shown, ...noToken }]));
}
