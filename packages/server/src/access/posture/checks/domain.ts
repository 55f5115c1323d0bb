import type { CheckKind } from '../posture-check.ts';
import { constantly } from '../posture-check.ts';

/** The device must be in one of these Windows domains. */
export const domain: CheckKind = {
  evaluate({ domains }, { data }) {
    const own = data.domain?.domain.toLowerCase();
    return constantly(own !== undefined && (domains ?? []).some((each) => each.toLowerCase() === own));
  },

  failure: ({ domains }, { data }) => ({ actualValue: data.domain?.domain ?? '', expectedValue: domains ?? [] }),
};
