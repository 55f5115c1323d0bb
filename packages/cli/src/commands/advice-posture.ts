import type { PostureCheckDetail, PostureData } from '@edge-controller/sdk/node';

/** What a posture check says of an identity, as far as what its clients have reported shows it. */
export interface CheckAdvice {
  readonly name: string;
  readonly typeId: PostureCheckDetail['typeId'];
  readonly outcome: 'passes' | 'fails' | 'unknown';
  /** What the device reported, and what it must have. */
  readonly why: string;
}

type Judged = Pick<CheckAdvice, 'outcome' | 'why'>;

/**
 * Compares a posture check with what was reported last. The controller decides for each session: ranges of versions, hashes and
 * times are not compared here, so they are unknown.
 */
export function adviseOn(check: PostureCheckDetail, data: PostureData): CheckAdvice {
  return { name: check.name, typeId: check.typeId, ...judges[check.typeId](check, data) };
}

const judges: Readonly<Record<PostureCheckDetail['typeId'], (check: PostureCheckDetail, data: PostureData) => Judged>> =
  {
    DOMAIN({ domains }, { domain: { domain } }) {
      const wanted = domains ?? [];
      if (domain === null) return nothingReported(wanted);
      return judged(isAmong(wanted, domain), [domain], wanted);
    },
    MAC({ macAddresses }, { mac: { addresses } }) {
      const wanted = macAddresses ?? [];
      if (addresses === null) return nothingReported(wanted);
      return judged(
        addresses.some((address) => wanted.includes(address)),
        addresses,
        wanted,
      );
    },
    OS({ operatingSystems }, { os: { type, version } }) {
      const systems = operatingSystems ?? [];
      const wanted = systems.map((one) => [one.type, ...(one.versions ?? [])].join(' '));
      if (type === null) return nothingReported(wanted);
      const system = systems.find((one) => isAmong([one.type], type));
      const isDecided = system === undefined || !system.versions || system.versions.length === 0;
      return judged(isDecided ? system !== undefined : null, [`${type} ${version ?? ''}`.trim()], wanted);
    },
    PROCESS({ id, process }, { processes }) {
      const wanted = [process?.path ?? ''];
      const reported = processes.findLast(({ postureCheckId }) => postureCheckId === id);
      if (reported === undefined) return nothingReported(wanted);
      return judged(reported.isRunning ? null : false, [reported.isRunning ? 'it runs' : 'it does not run'], wanted);
    },
    PROCESS_MULTI({ processes: programs }, { processes }) {
      const wanted = (programs ?? []).map(({ path }) => path);
      return processes.length === 0 ? nothingReported(wanted) : judged(null, [`${processes.length} programs`], wanted);
    },
    MFA({ timeoutSeconds, promptOnWake, promptOnUnlock }, { apiSessionPostureData }) {
      const wanted = ['a TOTP code in the API session'];
      if (!Object.values(apiSessionPostureData).some(({ mfa }) => mfa.passedMfa))
        return judged(false, ['none'], wanted);
      const lastsForEver = !promptOnWake && !promptOnUnlock && (timeoutSeconds ?? -1) <= 0;
      return judged(lastsForEver || null, ['a code'], wanted);
    },
  };

/** `isPassing`: null when it cannot be said. */
function judged(isPassing: boolean | null, reported: readonly string[], wanted: readonly string[]): Judged {
  const outcome = isPassing === null ? 'unknown' : isPassing ? 'passes' : 'fails';
  return { outcome, why: `reported: ${reported.join(', ') || 'nothing'}; wanted: ${wanted.join(', ')}` };
}

const nothingReported = (wanted: readonly string[]) => judged(false, [], wanted);

function isAmong(texts: readonly string[], text: string): boolean {
  return texts.some((one) => one.toLowerCase() === text.toLowerCase());
}
