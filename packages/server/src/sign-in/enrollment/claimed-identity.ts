import { contracts } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import type { TrustedSigner } from '../../credentials/external-jwt/trusted-signers.ts';
import { describeValue } from '../../credentials/jwt/broken-check.ts';
import { claimValue, claimValues } from '../../credentials/jwt/claim-values.ts';

/** A valid JWT of a signer. */
export interface EnrollmentToken {
  readonly signer: TrustedSigner;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What the claims say about a new identity. */
export interface ClaimedIdentity {
  readonly externalId: string;
  readonly name: string;
  readonly roleAttributes: readonly string[];
}

const { externalId, name: nameField, roleAttributes: attributesField } = contracts.identities.fields;

/** @throws ApiError `INVALID_ENROLLMENT_TOKEN` with the selector whose claim cannot be stored */
export function readClaimedIdentity({ signer, subject, claims }: EnrollmentToken): ClaimedIdentity {
  const { claimsProperty, enrollNameClaimsSelector, enrollAttributeClaimsSelector } = signer;
  if (subject.trim() === '' || !externalId.schema.safeParse(subject).success) {
    throw unusable('claimsProperty', `the claim at ${claimsProperty} is blank or too long`);
  }
  const name = claimValue(claims, enrollNameClaimsSelector);
  if (name === null || name.trim() === '' || !nameField.schema.safeParse(name).success) {
    const reason = `the claim at ${enrollNameClaimsSelector} is no text, or it is blank or too long`;
    throw unusable('enrollNameClaimsSelector', reason);
  }
  const selector = enrollAttributeClaimsSelector;
  return { externalId: subject, name, roleAttributes: selector === null ? [] : readAttributes(claims, selector) };
}

function readAttributes(claims: EnrollmentToken['claims'], selector: string): readonly string[] {
  const field = 'enrollAttributeClaimsSelector';
  const values = claimValues(claims, selector);
  if (values.length > maxAttributes) {
    throw unusable(field, `the claim at ${selector} has ${values.length} values; ${maxAttributes} are possible`);
  }
  const attributes = values.filter(isAttribute);
  const bad = values.find((value) => !isAttribute(value));
  if (attributes.length < values.length) {
    const reason = `a value at ${selector} is no role attribute: a text of 1 to 500 characters, without # or @ in front`;
    throw unusable(field, reason, describeValue(bad));
  }
  return attributes;
}

const maxAttributes = 500;

function isAttribute(value: unknown): value is string {
  return attributesField.schema.safeParse([value]).success && !/^[#@]/.test(String(value));
}

function unusable(field: string, reason: string, value?: string): ApiError {
  const cause = { field, reason, ...(value !== undefined && { value }) };
  return new ApiError('INVALID_ENROLLMENT_TOKEN', { cause });
}
