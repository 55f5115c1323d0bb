import type { EdgeApiError } from '@edge-controller/sdk';
import { isEdgeApiError, isEdgeNetworkError, isEdgeTimeoutError } from '@edge-controller/sdk';
import { titleOf } from './titles.ts';

export interface ExplainedError {
  /** What went wrong, for a person. */
  readonly text: string;
  /** Only what is wrong, for the place at which the field stands. */
  readonly reason: string;
  /** The member of the body that the controller refused, such as `primary.updb.minPasswordLength`; `null` when it names none. */
  readonly field: string | null;
}

/** What a person reads about the error of a call. */
export function explainError(error: unknown): ExplainedError {
  if (isWithoutRight(error)) return withoutField(refusalOf('do this'));
  if (isEdgeApiError(error)) return explainRefusal(error);
  if (isEdgeNetworkError(error) || isEdgeTimeoutError(error)) {
    return withoutField('The controller cannot be reached. Try again.');
  }
  return withoutField(error instanceof Error ? error.message : String(error));
}

/** Whether the controller refuses something for lack of a permission. It gives a cause for all other reasons. */
export function isWithoutRight(error: unknown): boolean {
  return isEdgeApiError(error, 'UNAUTHORIZED') && !error.cause?.reason;
}

/** What a person reads who may not do something: `see identities`. */
export function refusalOf(act: string): string {
  return `You may not ${act}. Ask an administrator.`;
}

const withoutField = (text: string): ExplainedError => ({ text, reason: text, field: null });

function explainRefusal({ cause, message, requestId, retryAfter, status }: EdgeApiError): ExplainedError {
  const field = cause?.field || null;
  if (status === 429) return { ...withoutField(`Too many attempts. Try again ${waitOf(retryAfter)}.`), field };
  if (status >= 500) {
    return { ...withoutField(`${message}. The controller logged it as request ${requestId}.`), field };
  }
  const reason = cause?.reason || message;
  if (field !== null && isTaken(reason))
    return { ...withoutField(`This ${titleOf(field).toLowerCase()} is taken.`), field };
  const text = message.includes(reason) ? message : `${message}: ${reason}`;
  // At its field nobody needs `password in body`.
  return { text, reason: reason.replace(/^\S+ in body /, ''), field };
}

/** Whether the controller says that another entity has the value already. */
const isTaken = (reason: string) => /^duplicate value |must be unique$/.test(reason);

/** @param seconds `null` when the controller does not say how long */
function waitOf(seconds: number | null): string {
  if (seconds === null) return 'later';
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`;
}
