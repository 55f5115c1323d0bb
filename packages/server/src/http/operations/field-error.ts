import { notAnObject } from '@edge-controller/shared-types';
import type { z } from 'zod';
import type { ApiError } from '../../core/api-error.ts';
import { invalidField } from '../../core/api-error.ts';

const secretNames = new Set(['password', 'currentPassword', 'newPassword', 'code', 'token']);
/** Characters of a refused value that are quoted back. */
const quoteLimit = 256;

type Issue = z.core.$ZodIssue;
type Place = 'body' | 'query';

/** 400 for one refused field of a request, in the words of the wire: `name in body is required`. */
export function fieldError(issue: Issue, value: unknown, place: Place): ApiError {
  const field = fieldName(issue);
  if (issue.message === notAnObject && value) return invalidField(field, notAnObject);
  const secret = isOfApplication(issue, value) || issue.path.some((segment) => secretNames.has(String(segment)));
  return invalidField(field, `${field} in ${place} ${reason(issue, value)}`, secret ? undefined : quote(value, place));
}

/** An object that is too large has data of an application, which may be secret. */
function isOfApplication({ code }: Issue, value: unknown): boolean {
  return code === 'custom' && typeof value === 'object' && value !== null;
}

/** Dotted path of the refused member. */
export function fieldName(issue: Issue): string {
  return issue.path.map(String).join('.') || 'body';
}

function quote(value: unknown, place: Place): string {
  if (value === undefined || value === null) return place === 'body' ? '<nil>' : '';
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, quoteLimit);
}

function reason(issue: Issue, value: unknown): string {
  if (value === undefined || value === null) return 'is required';
  switch (issue.code) {
    case 'invalid_value':
      return `should be one of [${namesOf(issue.values)}]`;
    case 'too_small':
      return bound(issue.origin, Number(issue.minimum), ['at least', 'greater than or equal to']);
    case 'too_big':
      return bound(issue.origin, Number(issue.maximum), ['at most', 'less than or equal to']);
    case 'invalid_key':
      return 'has a member with a name that is not allowed';
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

/** An enumeration may have the empty text, which stands for a default. It is not listed. */
function namesOf(values: readonly unknown[]): string {
  return values.map(String).filter(Boolean).join(' ');
}

function bound(origin: string, limit: number, [ofLength, ofNumber]: [string, string]): string {
  if (origin === 'string') return `should be ${ofLength} ${limit} chars long`;
  if (origin === 'array' || origin === 'set') return `should have ${ofLength} ${limit} items`;
  return `should be ${ofNumber} ${limit}`;
}
