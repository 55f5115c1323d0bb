import type { managementApi } from '@edge-controller/shared-types';
import { ApiError, invalidField, refusedField } from '../core/api-error.ts';
import { isoTime, parseTime } from '../core/time/clock.ts';
import {
  issueEnrollmentToken,
  noToken,
  openEnrollmentTokens,
} from '../credentials/enrollment-tokens/enrollment-token.ts';
import { readHigherIdentities, readRights, requireRightsOf } from '../credentials/rights/higher-identities.ts';
import { needsStepUp } from '../credentials/rights/needs-step-up.ts';
import { maySeeSecretsOf, maySeeSecretsOfRouters, noRights } from '../credentials/rights/rights.ts';
import { refuseShortUsername } from '../credentials/sign-in-rules/refuse-short-username.ts';
import type { ProposedChange } from '../crud/define-entity.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { getEntity } from '../crud/read-entities.ts';
import { whereNoneOf } from '../crud/relations.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import { setFields } from '../crud/write.ts';
import { ownerOf } from '../storage/entity-store/locks/enrollment-owner.ts';
import { keepCa } from '../storage/entity-store/locks/lock-ca.ts';
import { lockIdentity } from '../storage/entity-store/locks/lock-identity.ts';
import type { Caller, Handlers } from './dependencies.ts';

export const enrollments = defineEntity<'enrollments', Caller>('enrollments', {
  fields: {
    identityId: { onDelete: 'cascade' },
    edgeRouterId: { onDelete: 'cascade' },
    transitRouterId: { onDelete: 'cascade' },
    method: { taken: enrollmentExists },
  },

  async authorize({ unit: { tx, caller } }, { identityId }) {
    if (identityId === null) return;
    await lockIdentity(caller.database, tx, identityId);
    await requireRightsOf(tx, caller.session?.principal, identityId);
  },

  /** Enrollments of identities with more rights than the caller are not listed. */
  async listed(caller) {
    const higher = await readHigherIdentities(caller.database.db, caller.session?.principal);
    if (higher.length === 0) return [];
    const ids = higher.map(({ id }) => id);
    return [whereNoneOf(caller, 'identityId', ids)];
  },

  async prepare(change, next) {
    if (change.verb !== 'create') return {};
    const { method, identityId, username } = next;
    const expiresAt = readTime(next.expiresAt);
    if (identityId !== null) await checkOwner(change, identityId);
    if (expiresAt <= change.unit.caller.clock()) {
      throw refusedField('expiresAt', 'expiresAt must be in the future', next.expiresAt);
    }
    const caId = method === 'ottca' ? await checkCa(change, next.caId ?? '') : null;
    if (method === 'updb') checkUsername(username);
    return { expiresAt: isoTime(expiresAt), caId, username: method === 'updb' ? username : null };
  },

  // The only change of an enrollment is its refresh, which gives it a new token.
  async written({ unit: { caller, tx } }, enrollment) {
    const { id, method, expiresAt } = enrollment;
    // Here the rights are known.
    refuseLate(caller, Date.parse(expiresAt));
    const ownerId = ownerOf(enrollment).id;
    await issueEnrollmentToken({ call: caller, tx }, { id, ownerId, method, expiresAt: Date.parse(expiresAt) });
  },

  async derive(caller, states) {
    const ids = states.map(({ id }) => id);
    const [tokens, isShown] = await Promise.all([openEnrollmentTokens(caller, ids), secretsShownTo(caller, states)]);
    // An enrollment that was redeemed meanwhile has no token.
    return states.map(({ id, identityId }) => (isShown(identityId) && tokens.get(id)) || noToken);
  },
});

/** Returns whether the caller may see the tokens of an identity. Without one they are those of a router. */
async function secretsShownTo(
  caller: Caller,
  enrollments: readonly { readonly identityId: string | null }[],
): Promise<(identityId: string | null) => boolean> {
  const { database, session, settings } = caller;
  if (!session) return () => true;
  const owners = enrollments.flatMap(({ identityId }) => identityId ?? []);
  const isAnyone = session.principal.isAdmin && !settings.stepUpAdministration;
  const rights = isAnyone ? null : await readRights(database, owners);
  return (identityId) => {
    if (identityId === null) return maySeeSecretsOfRouters(session.principal);
    const owner = { id: identityId, ...(rights?.get(identityId) ?? noRights) };
    return maySeeSecretsOf(session.principal, owner) && !needsStepUp(caller, owner);
  };
}

function readTime(expiresAt: string): number {
  const time = parseTime(expiresAt);
  if (time !== null) return time;
  const message = 'expiresAt is not a date and time of RFC 3339';
  throw new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
}

/** @throws 400 when an enrollment would live longer than the settings allow */
function refuseLate({ clock, settings }: Pick<Caller, 'clock' | 'settings'>, expiresAt: number): void {
  const latest = clock() + settings.enrollmentMaxDuration;
  if (expiresAt > latest) throw invalidField('expiresAt', `must not be after ${isoTime(latest)}`, isoTime(expiresAt));
}

/** Locks the identity, as all changes of several of its rows do first. */
async function checkOwner({ unit: { caller, tx } }: ProposedChange, identityId: string): Promise<void> {
  if (await lockIdentity(caller.database, tx, identityId)) return;
  throw refusedField('identityId', 'identity not found', identityId);
}

async function checkCa({ unit: { caller, tx } }: ProposedChange, caId: string): Promise<string> {
  if (await keepCa(caller.database, tx, caId)) return caId;
  throw refusedField('caId', 'ca not found', caId);
}

function checkUsername(username: string | null): void {
  if (!username) throw refusedField('username', 'username not provided');
  refuseShortUsername(username);
}

function enrollmentExists(method: string): ApiError {
  const cause = { field: 'method', reason: 'enrollment of same method exists', value: method };
  return new ApiError('ENROLLMENT_EXISTS', { cause });
}

/** Handlers of one enrollment where they are not those of every entity. */
export const enrollmentActions: Pick<Handlers<typeof managementApi>['enrollments'], 'get' | 'refresh'> = {
  async get(call, { params: { id } }) {
    const detail = await getEntity(call, 'enrollments', id);
    if (detail.identityId) await requireRightsOf(call.database.db, call.session.principal, detail.identityId);
    return detail;
  },

  async refresh(call, { params: { id }, body }) {
    const expiresAt = readTime(body.expiresAt);
    if (expiresAt <= call.clock()) {
      throw invalidField('expiresAt', 'must be after the current date and time', body.expiresAt);
    }
    await inUnitOfWork(call, (unit) => setFields(unit, 'enrollments', id, () => ({ expiresAt: isoTime(expiresAt) })));
  },
};
