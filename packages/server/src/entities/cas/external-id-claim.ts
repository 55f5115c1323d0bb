import type { ExternalIdClaim } from '@edge-controller/shared-types';
import { invalidField, refusedField } from '../../core/api-error.ts';

const matchersOf: Readonly<Record<ExternalIdClaim['location'], readonly ExternalIdClaim['matcher'][]>> = {
  COMMON_NAME: ['ALL', 'PREFIX', 'SUFFIX'],
  SAN_EMAIL: ['ALL', 'PREFIX', 'SUFFIX'],
  SAN_URI: ['ALL', 'SCHEME'],
};

/**
 * Completes and checks the claim of a CA. PATCH may lead to a claim without all members; an empty one is none.
 *
 * @throws 400 `COULD_NOT_VALIDATE` for a missing member; 400 `INVALID_FIELD` for members that do not fit together
 */
export function completeClaim(claim: Partial<ExternalIdClaim> | null): ExternalIdClaim | null {
  if (claim === null || Object.keys(claim).length === 0) return null;
  const location = given(claim, 'location');
  const matcher = given(claim, 'matcher');
  const parser = given(claim, 'parser');
  const { matcherCriteria = '', parserCriteria = '', index = 0 } = claim;
  const matchers = matchersOf[location];
  if (!matchers.includes(matcher)) {
    const reason = `${location} can only be matched with ${matchers.join(', ')}`;
    throw refusedField('externalIdClaim.matcher', reason, matcher);
  }
  if (matcher !== 'ALL' && matcherCriteria === '') {
    throw refusedField('externalIdClaim.matcherCriteria', `must not be empty for ${matcher}`);
  }
  if (parser === 'SPLIT' && parserCriteria === '') {
    throw refusedField('externalIdClaim.parserCriteria', 'must not be empty for SPLIT');
  }
  return { location, matcher, matcherCriteria, parser, parserCriteria, index };
}

function given<N extends keyof ExternalIdClaim>(claim: Partial<ExternalIdClaim>, name: N): ExternalIdClaim[N] {
  const value = claim[name];
  const field = `externalIdClaim.${name}`;
  if (value === undefined) throw invalidField(field, `${field} in body is required`, '<nil>');
  return value;
}
