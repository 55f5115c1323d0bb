import { readSubjectNames } from '@edge-controller/certificate-path';
import type { ExternalIdClaim } from '@edge-controller/shared-types';

/** Characters. No identity has a longer external id. */
const maxLength = 500;

/** Returns the external id that a claim of a CA finds in a certificate, or `null`. Pass only a leaf whose chain is valid. */
export function externalIdOf(der: Buffer, claim: ExternalIdClaim): string | null {
  const { parser, parserCriteria, index } = claim;
  const matched = valuesAt(der, claim).flatMap((value) => match(value, claim) ?? []);
  const values = parser === 'SPLIT' ? matched.flatMap((value) => value.split(parserCriteria)) : matched;
  const value = values[index] ?? '';
  // A database cannot search for all of them, and no identity has such an external id.
  const isUsable = value !== '' && value.length <= maxLength && !/\p{Cc}/u.test(value);
  return isUsable ? value : null;
}

function valuesAt(der: Buffer, { location }: ExternalIdClaim): readonly string[] {
  const names = readSubjectNames(der);
  if (names === null) return [];
  if (location === 'COMMON_NAME') return names.commonNames.slice(-1);
  return location === 'SAN_URI' ? names.uris : names.emails;
}

/** The part of a value that the matcher selects; `null` when the value does not match. */
function match(value: string, { matcher, matcherCriteria: criteria }: ExternalIdClaim): string | null {
  switch (matcher) {
    case 'ALL':
      return value;
    case 'PREFIX':
      return value.startsWith(criteria) ? value.slice(criteria.length) : null;
    case 'SUFFIX':
      return value.endsWith(criteria) ? value.slice(0, value.length - criteria.length) : null;
    case 'SCHEME': {
      // Schemes compare without regard to case (RFC 3986, section 3.1).
      const scheme = `${criteria}:`.toLowerCase();
      return value.slice(0, scheme.length).toLowerCase() === scheme ? value : null;
    }
  }
}
