import { isoTime } from '../../../core/time/clock.ts';
import { propose } from '../../../crud/propose.ts';
import { readStates } from '../../../crud/read.ts';
import type { SessionCall } from '../dependencies.ts';
import type { ActInput, Concern } from './concern.ts';

/** The fields of an identity that say who may sign in as it. */
const ofSignIn = ['externalId', 'externalIdSignerId', 'authPolicyId'];

/** What a PUT or PATCH of an identity changes in how it signs in, and in its rights. */
export async function changeOfIdentity(
  call: SessionCall,
  verb: 'update' | 'patch',
  { params: { id = '' } = {}, body = {} }: ActInput,
): Promise<Concern> {
  const entity = call.definitions.identities;
  const [previous] = await readStates(call.database, entity, [id]);
  if (!previous) return {};
  const next = propose({ entity, verb, body, previous, id, now: isoTime(call.clock()) });
  const isOtherSignIn = ofSignIn.some((name) => textOf(next[name]) !== textOf(previous[name]));
  const isPromoted = next.isAdmin === true && previous.isAdmin !== true;
  const isPermitted = namesOf(next.permissions).some((name) => !namesOf(previous.permissions).includes(name));
  return { owner: isOtherSignIn ? id : null, isAdministration: isPromoted || isPermitted };
}

function textOf(value: unknown): string {
  return String(value ?? '').trim();
}

function namesOf(permissions: unknown): readonly unknown[] {
  return Array.isArray(permissions) ? permissions : [];
}
