import type { EdgeApiError } from '@edge-controller/sdk';
import { isEdgeApiError, isEdgeNetworkError, isEdgeTimeoutError } from '@edge-controller/sdk';

export interface ExplainedError {
  /** What went wrong, for a person. */
  readonly text: string;
  /** The member of the body that the controller refused, such as `primary.updb.minPasswordLength`; `null` when it names none. */
  readonly field: string | null;
}

/** What a person reads about the error of a call. */
export function explainError(error: unknown): ExplainedError {
  if (isEdgeApiError(error)) return explainRefusal(error);
  if (isEdgeNetworkError(error) || isEdgeTimeoutError(error)) {
    return { text: 'The controller cannot be reached. Try again.', field: null };
  }
  return { text: error instanceof Error ? error.message : String(error), field: null };
}

function explainRefusal({ cause, message, requestId, retryAfter, status }: EdgeApiError): ExplainedError {
  const field = cause?.field || null;
  if (status === 429) return { text: `Too many attempts. Try again ${waitOf(retryAfter)}.`, field };
  if (status >= 500) return { text: `${message}. The controller logged it as request ${requestId}.`, field };
  return { text: cause?.reason ? `${message}: ${cause.reason}` : message, field };
}

/** @param seconds `null` when the controller does not say how long */
function waitOf(seconds: number | null): string {
  if (seconds === null) return 'later';
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`;
}
