import { z } from 'zod';
import { define } from '../definitions.ts';
import { dateTime, idParams } from '../envelope.ts';
import { semantic } from '../field.ts';
import { sdkInfo } from '../info.ts';
import { defineResource } from '../operation.ts';
import { checkKind } from './posture-checks.ts';
import { access } from './posture-queries.ts';

const base = {
  postureCheckId: z.string(),
  timedOut: z.boolean(),
  /** Null: the client has sent nothing. */
  lastUpdatedAt: dateTime.nullable(),
};
const text = z.string().nullable();
const texts = z.array(z.string()).nullable();
/** The MAC addresses of a device. */
const macs = define('postureDataMac', z.object({ ...base, addresses: texts }));
/** The Windows domain of a device. */
const domain = define('postureDataDomain', z.object({ ...base, domain: text }));
/** The operating system of a device. */
const os = define('postureDataOs', z.object({ ...base, type: text, version: text, build: text }));
/** A program that was asked for. */
const process = define(
  'postureDataProcess',
  z.object({ ...base, isRunning: z.boolean(), binaryHash: z.string().optional(), signerFingerprints: texts }),
);

/** Whether an API session has proven a second factor. */
const mfa = define(
  'postureDataMfa',
  z.object({
    apiSessionId: z.string(),
    passedMfa: z.boolean(),
    passedOnWake: z.boolean(),
    passedOnUnlock: z.boolean(),
    passedAt: dateTime.nullable(),
  }),
);
/** When a device last woke up and was unlocked. */
const endpointState = define(
  'postureDataEndpointState',
  z.object({ wokenAt: dateTime.nullable(), unlockedAt: dateTime.nullable() }),
);
/** What is known of the device in one API session. */
const ofSession = define(
  'apiSessionPostureData',
  z.object({ mfa, endpointState: endpointState.nullish(), sdkInfo: sdkInfo.nullish() }),
);

/** What the client of an identity has said about its device. */
const postureData = define(
  'postureData',
  z.object({
    mac: macs,
    domain,
    os,
    processes: z.array(process),
    /** By the id of the API session. */
    apiSessionPostureData: z.record(z.string(), ofSession),
  }),
);

/** When a second factor was proven, and how long that counts. */
const mfaCriteria = define(
  'postureChecksFailureMfaCriteria',
  z.object({
    passedMfaAt: dateTime,
    wokenAt: dateTime,
    unlockedAt: dateTime,
    /** -1: it counts for ever. */
    timeoutSeconds: z.number().int(),
    timeoutRemainingSeconds: z.number().int(),
  }),
);
/** A posture check that did not pass: what the device had, and what it must have. The kind says their types. */
const failedCheck = define(
  'postureCheckFailure',
  z.object({
    postureCheckId: z.string(),
    postureCheckName: z.string(),
    postureCheckType: checkKind,
    actualValue: z.any().optional(),
    expectedValue: z.any().optional(),
    /** Of `MFA`. */
    criteria: mfaCriteria.optional(),
    /** Of `PROCESS_MULTI`: whether all of the processes must run. */
    semantic: semantic.optional(),
  }),
);
/** A policy with posture checks that did not pass. */
const policyFailure = define(
  'policyFailure',
  z.object({ policyId: z.string(), policyName: z.string(), checks: z.array(failedCheck) }),
);
/** A session that was refused because the device does not pass the posture checks. */
const failedServiceRequest = define(
  'failedServiceRequest',
  z.object({
    when: dateTime,
    apiSessionId: z.string(),
    serviceId: z.string(),
    serviceName: z.string(),
    sessionType: access,
    policyFailures: z.array(policyFailure),
  }),
);

/** What is known of the devices of an identity. */
export const identityPosture = defineResource({
  postureData: {
    method: 'GET',
    path: '/identities/{id}/posture-data',
    access: 'admin',
    permission: 'identity.read',
    result: 'detail',
    params: idParams,
    response: postureData,
    summary: 'Reads what the client of one identity has said about its device; also for an unknown identity',
  },
  failedServiceRequests: {
    method: 'GET',
    path: '/identities/{id}/failed-service-requests',
    access: 'admin',
    permission: 'identity.read',
    result: 'list',
    params: idParams,
    response: failedServiceRequest,
    summary: 'Lists the last sessions that posture checks refused to one identity',
  },
});

export type PostureData = z.output<typeof postureData>;
export type FailedServiceRequest = z.output<typeof failedServiceRequest>;
export type PostureCheckFailure = z.output<typeof failedCheck>;
