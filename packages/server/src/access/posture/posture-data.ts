import type { PostureResponseCreate, SdkInfo } from '@edge-controller/shared-types';

/** What a client has reported, with the posture check that asked and the time, in milliseconds since 1970. */
type Reported<Value> = Value & { readonly postureCheckId: string; readonly at: number };

export type ReportedOs = Reported<{ readonly type: string; readonly version: string; readonly build: string | null }>;
export type ReportedDomain = Reported<{ readonly domain: string }>;
/** Addresses: 12 lower-case hex digits. */
export type ReportedMac = Reported<{ readonly addresses: readonly string[] }>;
export type ReportedProcess = Reported<{
  readonly path: string;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}>;

/** What the client of one API session has said about its device. Times are in milliseconds since 1970. */
export interface PostureData {
  /** Grows when the client takes something back that a posture check has passed with. */
  readonly generation: number;
  readonly os: ReportedOs | null;
  readonly domain: ReportedDomain | null;
  readonly mac: ReportedMac | null;
  /** The last one for each posture check and path, the newest at the end. */
  readonly processes: readonly ReportedProcess[];
  /** The first time that no TOTP code has answered yet, else the last one. */
  readonly wokenAt: number | null;
  /** The same. */
  readonly unlockedAt: number | null;
  /** What the services of the session have shown of posture checks, when they were checked last. `null`: they never were. */
  readonly shown: { readonly digest: string; readonly at: number } | null;
  /** What the client is. It says so when it signs in. */
  readonly sdkInfo: SdkInfo | null;
}

/** Milliseconds after waking or unlocking in which no other code is needed. */
export const gracePeriod = 300_000;

const nothing: PostureData = {
  generation: 0,
  ...{ os: null, domain: null, mac: null, processes: [], wokenAt: null, unlockedAt: null, shown: null },
  sdkInfo: null,
};

/** Bytes of the data of one API session as JSON text. */
export const maxPostureBytes = 65_536;

/** The data of a new API session, as the store takes it. Empty: there is nothing to store. */
export function firstPostureData(sdkInfo: SdkInfo | null | undefined): { readonly posture?: string } {
  return sdkInfo ? { posture: JSON.stringify({ sdkInfo }) } : {};
}

/** Reads stored data. `null`: there is none. */
export function readPostureData(json: string | null): PostureData {
  return json === null ? nothing : { ...nothing, ...JSON.parse(json) };
}

/** The data after the session store has lost the newest: nothing is known of the device, and it may have woken up before. */
export function afterLoss(
  { sdkInfo, shown }: PostureData,
  { generation, now }: { readonly generation: number; readonly now: number },
): PostureData {
  const before = now - gracePeriod;
  return { ...nothing, sdkInfo, shown, generation, wokenAt: before, unlockedAt: before };
}

interface Moment {
  readonly now: number;
  /** As in `PostureFacts`. */
  readonly mfaPassedAt: number | null;
}

/** The data after some posture responses, in their order. */
export function withResponses(
  data: PostureData,
  responses: readonly PostureResponseCreate[],
  moment: Moment,
): PostureData {
  let after = data;
  for (const response of responses) after = { ...after, ...changeOf(after, response, moment) };
  return after;
}

function changeOf(data: PostureData, response: PostureResponseCreate, moment: Moment): Partial<PostureData> {
  const { now: at } = moment;
  const reported = { postureCheckId: response.id, at };
  switch (response.typeId) {
    case 'OS': {
      const { type, version, build = null } = response;
      return { os: { ...reported, type, version, build } };
    }
    case 'DOMAIN':
      return { domain: { ...reported, domain: response.domain } };
    case 'MAC':
      return { mac: { ...reported, addresses: response.macAddresses.map(hexDigitsOf) } };
    case 'PROCESS': {
      const { path = '', isRunning = false, hash = '', signerFingerprints = [] } = response;
      const others = data.processes.filter((each) => each.postureCheckId !== response.id || each.path !== path);
      return { processes: [...others, { ...reported, path, isRunning, hash, signerFingerprints }] };
    }
    case 'ENDPOINT_STATE':
      return {
        ...(response.woken && { wokenAt: firstUnanswered(data.wokenAt, moment) }),
        ...(response.unlocked && { unlockedAt: firstUnanswered(data.unlockedAt, moment) }),
      };
  }
}

/** Waking again does not give more time: the first time counts that no TOTP code has answered. */
function firstUnanswered(known: number | null, { now, mfaPassedAt }: Moment): number {
  return known !== null && known > (mfaPassedAt ?? 0) ? known : now;
}

function hexDigitsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
}
