import type { managementApi, PostureData as ShownPostureData } from '@edge-controller/shared-types';
import { isoTime } from '../../core/time/clock.ts';
import { loadPrincipals } from '../../sessions/load-principals.ts';
import type { LiveApiSession } from '../../storage/session-store/session-store.ts';
import { passedPrompt } from '../posture/checks/mfa.ts';
import type { PostureFacts } from '../posture/posture-check.ts';
import { postureFactsOf } from '../posture/posture-facts.ts';
import type { Handlers, SessionCall } from './dependencies.ts';
import { readRefusals } from './refusals.ts';

type Identities = Handlers<typeof managementApi>['identities'];

/** What is known of the devices of an identity. */
export const identityPosture: Pick<Identities, 'postureData' | 'failedServiceRequests'> = {
  async postureData(call, { params: { id } }) {
    const sessions = await sessionsOf(call, id);
    const mfaId = (await loadPrincipals(call.database, [id])).get(id)?.mfaId ?? null;
    await call.serviceAccess.refresh();
    const stored = await Promise.all(hashesOf(sessions).map((hash) => call.posture.read(hash)));
    const now = call.clock();
    const known = stored.map(({ data }, at) => {
      const session = sessions[at] as LiveApiSession;
      return { sessionId: session.id, facts: postureFactsOf(session, { mfaId, data, now }) };
    });
    return {
      ...ofDevice(known.map(({ facts }) => facts)),
      apiSessionPostureData: Object.fromEntries(
        known.flatMap(({ sessionId, facts }) => (saysNothing(facts) ? [] : [[sessionId, ofSession(sessionId, facts)]])),
      ),
    };
  },

  async failedServiceRequests(call, { params: { id } }) {
    return { batches: [await readRefusals(call, hashesOf(await sessionsOf(call, id)))] };
  },
};

const hashesOf = (sessions: readonly LiveApiSession[]) => sessions.map(({ tokenHash }) => tokenHash);

/** The API sessions of an identity. */
async function sessionsOf(call: SessionCall, identityId: string): Promise<readonly LiveApiSession[]> {
  const { batches } = await call.sessions.list({ limit: -1, filter: `identity = ${JSON.stringify(identityId)}` });
  const sessions: LiveApiSession[] = [];
  for await (const batch of batches) sessions.push(...batch);
  return sessions;
}

/** Several API sessions may say something about a device: what was said last counts. */
function ofDevice(facts: readonly PostureFacts[]): Omit<ShownPostureData, 'apiSessionPostureData'> {
  const data = facts.map((each) => each.data);
  const mac = newest(data.map((each) => each.mac));
  const domain = newest(data.map((each) => each.domain));
  const os = newest(data.map((each) => each.os));
  const { type = null, version = null, build = null } = os ?? {};
  return {
    mac: { ...baseOf(mac), addresses: mac && [...mac.addresses] },
    domain: { ...baseOf(domain), domain: domain?.domain ?? null },
    os: { ...baseOf(os), type, version, build },
    processes: data
      .flatMap(({ processes }) => processes)
      .map(({ isRunning, hash, signerFingerprints, ...reported }) => ({
        ...baseOf(reported),
        isRunning,
        ...(hash && { binaryHash: hash }),
        signerFingerprints: [...signerFingerprints],
      })),
  };
}

interface Reported {
  readonly postureCheckId: string;
  readonly at: number;
}

function newest<Value extends Reported>(reported: readonly (Value | null)[]): Value | null {
  return reported.reduce((last, each) => (each && (!last || each.at > last.at) ? each : last), null);
}

function baseOf(reported: Reported | null) {
  const { postureCheckId = '', at } = reported ?? {};
  return { postureCheckId, timedOut: false, lastUpdatedAt: at === undefined ? null : isoTime(at) };
}

function saysNothing({ mfaPassedAt, data: { wokenAt, unlockedAt, sdkInfo } }: PostureFacts): boolean {
  return mfaPassedAt === null && wokenAt === null && unlockedAt === null && sdkInfo === null;
}

function ofSession(apiSessionId: string, facts: PostureFacts): ShownPostureData['apiSessionPostureData'][string] {
  const { wokenAt, unlockedAt, sdkInfo } = facts.data;
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  return {
    mfa: {
      apiSessionId,
      passedMfa: facts.mfaPassedAt !== null,
      passedOnWake: passedPrompt(wokenAt, facts),
      passedOnUnlock: passedPrompt(unlockedAt, facts),
      passedAt: time(facts.mfaPassedAt),
    },
    endpointState:
      wokenAt === null && unlockedAt === null ? null : { wokenAt: time(wokenAt), unlockedAt: time(unlockedAt) },
    sdkInfo,
  };
}
