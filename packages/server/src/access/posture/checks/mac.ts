import type { CheckKind } from '../posture-check.ts';
import { constantly } from '../posture-check.ts';

/** The device must have one of these MAC addresses. */
export const mac: CheckKind = {
  evaluate({ macAddresses }, { data }) {
    const own = data.mac?.addresses ?? [];
    return constantly((macAddresses ?? []).some((address) => own.includes(address)));
  },

  failure: ({ macAddresses }, { data }) => ({
    actualValue: data.mac?.addresses ?? [],
    expectedValue: macAddresses ?? [],
  }),
};
