import { invalidField, refusedField } from '../../core/api-error.ts';
import { endpointProblem } from '../../credentials/jwks/endpoint-problem.ts';
import { isClaimSelector } from '../../credentials/jwt/claim-selector.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { duplicateValue } from '../../crud/unique.ts';
import type { Caller } from '../dependencies.ts';
import { authorize } from './authorize.ts';
import { checkEnrollPolicy } from './enroll-policy.ts';
import { refuseNamedByPolicies } from './naming-policies.ts';
import { readSignerCertificate } from './signer-certificate.ts';

const affectsSessions = true;
const taken = (field: string) => duplicateValue(field, 'externalJwtSigners');
const defaultSelector = '/sub';

export const externalJwtSigners = defineEntity<'externalJwtSigners', Caller>('externalJwtSigners', {
  fields: {
    name: { taken: taken('name') },
    enabled: { affectsSessions },
    issuer: { taken: taken('issuer'), affectsSessions },
    audience: { affectsSessions },
    certPem: { affectsSessions },
    jwksEndpoint: { affectsSessions },
    kid: { taken: taken('kid'), affectsSessions },
    claimsProperty: { affectsSessions },
    useExternalId: { affectsSessions },
    externalAuthUrl: { affectsSessions },
    clientId: { affectsSessions },
    scopes: { affectsSessions },
    targetToken: { affectsSessions },
    requiredAcr: { affectsSessions },
    requiredAmr: { affectsSessions },
    maxAuthAgeMinutes: { affectsSessions },
    sessionsEndAt: { affectsSessions },
    enrollToCertEnabled: { affectsSessions },
    enrollToTokenEnabled: { affectsSessions },
    enrollAuthPolicyId: { affectsSessions },
    enrollNameClaimsSelector: { affectsSessions },
    enrollAttributeClaimsSelector: { affectsSessions },
    fingerprint: { taken: taken('fingerprint') },
  },

  authorize,

  async prepare(change, given, previous) {
    if (isBlank(given.issuer)) throw invalidField('issuer', 'issuer is required', given.issuer);
    const next = {
      ...given,
      audience: textOf(given.audience),
      externalAuthUrl: textOf(given.externalAuthUrl),
      clientId: textOf(given.clientId),
      targetToken: given.targetToken || 'ACCESS',
      requiredAcr: given.requiredAcr?.length ? given.requiredAcr : null,
      requiredAmr: given.requiredAmr?.length ? given.requiredAmr : null,
      maxAuthAgeMinutes: given.maxAuthAgeMinutes || null,
      sessionsEndAt: given.sessionsEndAt || null,
      claimsProperty: textOf(given.claimsProperty) ?? defaultSelector,
      enrollAuthPolicyId: given.enrollAuthPolicyId || 'default',
      enrollNameClaimsSelector: given.enrollNameClaimsSelector || defaultSelector,
      enrollAttributeClaimsSelector: given.enrollAttributeClaimsSelector || null,
    };
    checkKeys(change, next, previous);
    checkTexts(next);
    if (next.sessionsEndAt === 'AUTH_AGE' && next.maxAuthAgeMinutes === null) {
      throw invalidField('sessionsEndAt', 'AUTH_AGE needs maxAuthAgeMinutes', next.sessionsEndAt);
    }
    await checkEnrollPolicy(change.unit, next, previous);
    const certificate = next.certPem === previous?.certPem ? {} : readSignerCertificate(next.certPem);
    return { ...next, ...certificate, authVersion: given.authVersion + (endsSignIns(next, previous) ? 1 : 0) };
  },

  async written({ unit }, next, previous) {
    if (!previous) await unit.affect({ kind: 'changed' });
    else if (next.authVersion !== previous.authVersion) {
      await unit.affect({ kind: 'endSignerSessions', signerId: next.id });
    }
  },

  async beforeDelete({ unit }, { id }) {
    await refuseNamedByPolicies(unit, id);
    await unit.affect({ kind: 'endSignerSessions', signerId: id });
  },
});

interface Keys {
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
}

/** As on the wire, an empty text counts as sent, so that no PATCH changes a certificate into an address. */
function checkKeys(
  { unit: { caller } }: ProposedChange<Caller>,
  { certPem, jwksEndpoint }: Keys,
  previous: Keys | null,
): void {
  if (certPem === null && jwksEndpoint === null) {
    throw refusedField('certPem', 'jwksEndpoint or certPem is required');
  }
  if (jwksEndpoint === null) return;
  if (certPem !== null) throw refusedField('jwksEndpoint', 'only one of jwksEndpoint or certPem may be defined');
  if (jwksEndpoint === previous?.jwksEndpoint) return;
  const problem = endpointProblem(jwksEndpoint, caller.settings);
  // The URL may have a password, so it is not repeated.
  if (problem !== null) throw refusedField('jwksEndpoint', problem);
}

interface Texts {
  readonly externalAuthUrl: string | null;
  readonly claimsProperty: string;
  readonly enrollNameClaimsSelector: string;
  readonly enrollAttributeClaimsSelector: string | null;
}

function checkTexts({ externalAuthUrl, ...selectors }: Texts): void {
  if (externalAuthUrl !== null && !isWebAddress(externalAuthUrl)) {
    throw invalidField('externalAuthUrl', 'must be a URL that begins with https:// or http://', externalAuthUrl);
  }
  for (const field of ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'] as const) {
    const selector = selectors[field];
    if (selector !== null && !isClaimSelector(selector)) {
      throw invalidField(field, 'must be a JSON pointer, or the name of a claim', selector);
    }
  }
}

/** Clients open the address: nothing that a browser would run. */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
}

interface Meaning {
  readonly enabled: boolean;
  readonly issuer: string;
  readonly claimsProperty: string;
  readonly useExternalId: boolean;
}

/** Whether the present API sessions of the signer end: with another issuer or claim, they may be of other people. */
function endsSignIns(next: Meaning, previous: Meaning | null): boolean {
  if (!previous) return false;
  if (previous.enabled && !next.enabled) return true;
  return (['issuer', 'claimsProperty', 'useExternalId'] as const).some((field) => next[field] !== previous[field]);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** A blank text counts as no value. */
function textOf(text: string | null): string | null {
  return text === null || isBlank(text) ? null : text;
}
