import type { PostureData } from '@edge-controller/sdk';
import { exactMomentText } from '../../api/moments.ts';
import type { AccessFacts, Condition } from './access-facts.ts';
import type { CheckedPolicy, Posture } from './read-access.ts';

type Check = CheckedPolicy['checks'][number];

/** What a device has reported for a kind of check; `null`: nothing, so no check of this kind can pass. */
const reports: Readonly<
  Record<Check['typeId'], { readonly what: string; readonly read: (data: PostureData) => string | null }>
> = {
  OS: {
    what: 'operating system',
    read: ({ os }) => (os.type === null ? null : `the operating system ${os.type} ${os.version ?? ''}`.trim()),
  },
  DOMAIN: { what: 'Windows domain', read: ({ domain }) => domain.domain && `the Windows domain ${domain.domain}` },
  MAC: {
    what: 'MAC address',
    read: ({ mac }) => (mac.addresses?.length ? `the MAC addresses ${mac.addresses.join(', ')}` : null),
  },
  PROCESS: { what: 'running process', read: readProcesses },
  PROCESS_MULTI: { what: 'running process', read: readProcesses },
  MFA: {
    what: 'TOTP code',
    read: ({ apiSessionPostureData }) =>
      Object.values(apiSessionPostureData).some(({ mfa }) => mfa.passedMfa) ? 'a right TOTP code' : null,
  },
};

function readProcesses({ processes }: PostureData): string | null {
  const running = processes.filter(({ isRunning }) => isRunning).length;
  return running === 0 ? null : `${running} running ${running === 1 ? 'process' : 'processes'}`;
}

/**
 * The posture checks of the policies that name both. Only the controller knows all of their rules: this says `ok` when no policy
 * needs a check or a session shows that they pass, and `bad` when nothing was reported that could pass.
 */
export function judgePosture(facts: AccessFacts): Condition {
  const { advice, policies, identity, posture, hasSession } = facts;
  const { identityName, serviceName } = advice;
  const title = 'Posture checks';
  const unknown = (text: string): Condition => ({ title, state: 'unknown', text });
  if ('value' in hasSession && hasSession.value) {
    return { title, state: 'ok', text: `${identityName} passes: it has a session for ${serviceName} now.` };
  }
  if ('gap' in policies) return unknown(policies.gap);
  if (policies.value.checked.some(({ total }) => total === 0)) {
    return { title, state: 'ok', text: 'A policy that names both has no posture check.' };
  }
  if ('gap' in identity) return unknown(identity.gap);
  if ('gap' in posture) return unknown(posture.gap);
  const { checked, isCut } = policies.value;
  const checks = distinct(checked.flatMap((policy) => policy.checks));
  const decided = `Decided by what the device of ${identityName} reports for ${namesOf(checks)}.`;
  if (!identity.value.hasApiSession) {
    return unknown(`${decided} ${identityName} is not signed in, so nothing is reported.`);
  }
  const { data, refusal } = posture.value;
  const isFailing = checked.every((policy) => policy.checks.some(({ typeId }) => isMissing(typeId, data)));
  if (isFailing && checked.length > 0 && !isCut) {
    const missing = checks.filter(({ typeId }) => isMissing(typeId, data));
    return { title, state: 'bad', text: `${namesOf(missing)}: ${reportOf(identityName, missing, data)}` };
  }
  return unknown([decided, reportOf(identityName, checks, data), refusalText(refusal)].filter(Boolean).join(' '));
}

function isMissing(typeId: Check['typeId'], data: PostureData): boolean {
  return reports[typeId].read(data) === null;
}

/** `It has reported no operating system.` */
function reportOf(name: string, checks: readonly Check[], data: PostureData): string {
  const kinds = new Set(checks.map(({ typeId }) => reports[typeId]));
  const texts = [...kinds].map(({ what, read }) => read(data) ?? `no ${what}`);
  return `The device of ${name} has reported ${[...new Set(texts)].join(', ')}.`;
}

function refusalText(refusal: Posture['refusal']): string {
  if (refusal === null) return '';
  const failed = refusal.policyFailures.flatMap(({ checks }) => checks.map((check) => quoted(check.postureCheckName)));
  return `Its last request was refused on ${exactMomentText(refusal.when)} because of ${[...new Set(failed)].join(', ')}.`;
}

const namesOf = (checks: readonly Check[]) => checks.map(({ name }) => quoted(name)).join(', ');
const quoted = (name: string) => `“${name}”`;

function distinct(checks: readonly Check[]): readonly Check[] {
  return [...new Map(checks.map((check) => [check.id, check])).values()];
}
