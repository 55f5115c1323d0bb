import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, dateTime } from '../envelope.ts';
import { checkKind, osType } from './posture-checks.ts';

/** What a policy lets somebody do with a service. `Invalid`: nothing. */
export const access = z.enum(['Dial', 'Bind', 'Invalid']);
/** A program that a device must run. */
const program = define('postureQueryProcess', z.object({ osType, path: z.string() }));
const check = {
  queryType: checkKind,
  isPassing: z.boolean(),
  /** Seconds for which a pass counts. -1: for ever. */
  timeout: z.number().int(),
  /** Seconds after which the check fails. -1: never. */
  timeoutRemaining: z.number().int(),
  /** When the check fails. RFC 3339, UTC. Absent: never. */
  timeoutAt: dateTime.optional(),
  /** Of `MFA`. */
  promptOnWake: z.boolean().optional(),
  /** Of `MFA`. */
  promptOnUnlock: z.boolean().optional(),
  /** Of `MFA`: seconds after waking or unlocking in which a code is not needed yet. */
  promptGracePeriodSeconds: z.number().int().optional(),
  /** Of `PROCESS`. */
  process: program.optional(),
  /** Of `PROCESS_MULTI`, else null. */
  processes: z.array(program).nullable(),
};
/** A posture check of a policy, and whether the API session of the caller passes it. */
const postureQuery = define('postureQuery', z.object({ ...baseEntity, ...check }));
/** A policy that lets the caller use a service, with its posture checks. The caller must pass all of them. */
export const postureQueries = define(
  'postureQueries',
  z.object({ policyId: z.string(), policyType: access, isPassing: z.boolean(), postureQueries: z.array(postureQuery) }),
);
