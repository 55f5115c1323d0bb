import type { CheckKind, PostureCheck, PostureFacts } from '../posture-check.ts';
import { constantly } from '../posture-check.ts';
import { isInRange, parseVersion } from '../version-range.ts';

/** The device must have one of these operating systems, in one of these versions. */
export const os: CheckKind = {
  evaluate: (check, facts) => constantly(isPassing(check, facts)),

  failure: ({ operatingSystems }, { data }) => ({
    actualValue: { type: data.os?.type ?? '', version: data.os?.version ?? '' },
    expectedValue: operatingSystems ?? [],
  }),
};

function isPassing({ operatingSystems }: PostureCheck, { data }: PostureFacts): boolean {
  const { os } = data;
  if (!os) return false;
  const wanted = operatingSystems?.find(({ type }) => type.toLowerCase() === os.type.toLowerCase());
  if (!wanted) return false;
  const { versions } = wanted;
  if (!versions || versions.length === 0) return true;
  const version = parseVersion(os.version);
  return version !== null && versions.some((range) => isInRange(version, range));
}
