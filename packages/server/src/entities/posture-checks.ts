import type { PostureCheck } from '../access/posture/posture-check.ts';
import { isVersionRange } from '../access/posture/version-range.ts';
import { accessRules } from '../access/service-access/access-rules.ts';
import { invalidField } from '../core/api-error.ts';
import { setOf } from '../core/text/set-of.ts';
import { defineEntity } from '../crud/define-entity.ts';

type Systems = NonNullable<PostureCheck['operatingSystems']>;

const never = -1;

export const postureChecks = defineEntity('postureChecks', {
  access: accessRules.postureChecks,
  fields: {
    name: { access: 'cached' },
    typeId: { access: 'none' },
    roleAttributes: { access: 'rights' },
    version: { access: 'none' },
    operatingSystems: { access: 'rights' },
    domains: { access: 'rights' },
    macAddresses: { access: 'rights' },
    process: { access: 'rights' },
    semantic: { access: 'rights' },
    processes: { access: 'rights' },
    timeoutSeconds: { access: 'rights' },
    promptOnWake: { access: 'rights' },
    promptOnUnlock: { access: 'rights' },
    ignoreLegacyEndpoints: { access: 'rights' },
  },

  async prepare(_, { typeId, operatingSystems, macAddresses, process, processes, timeoutSeconds }) {
    return {
      operatingSystems: operatingSystems && oneOfEachType(operatingSystems),
      macAddresses: macAddresses && setOf(macAddresses.map(plainAddress)),
      process: process && {
        ...process,
        hashes: lowerCase(process.hashes),
        signerFingerprint: process.signerFingerprint?.toLowerCase(),
      },
      processes:
        processes?.map((each) => ({
          ...each,
          hashes: setOf(each.hashes ?? []),
          signerFingerprints: setOf(each.signerFingerprints ?? []),
        })) ?? null,
      timeoutSeconds: typeId === 'MFA' ? Math.max(timeoutSeconds ?? 0, 0) || never : null,
    };
  },
});

/** Of a type that is there twice, the last one counts. */
function oneOfEachType(systems: Systems): Systems {
  const last = new Map(systems.map(({ type, versions }) => [type, versions ?? []]));
  return [...last]
    .map(([type, versions]) => ({ type, versions: rangesOf(versions) }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

function rangesOf(versions: readonly string[]): string[] | null {
  const bad = versions.find((range) => !isVersionRange(range));
  if (bad !== undefined) throw invalidField('operatingSystems', 'invalid version range', bad);
  return versions.length === 0 ? null : setOf(versions);
}

function plainAddress(address: string): string {
  const digits = address.replaceAll(/[:.\s-]/g, '').toLowerCase();
  if (!/^[0-9a-f]{12}$/.test(digits)) throw invalidField('macAddresses', 'invalid MAC address', address);
  return digits;
}

function lowerCase(texts: readonly string[] | null | undefined): string[] {
  return setOf((texts ?? []).map((text) => text.toLowerCase()));
}
