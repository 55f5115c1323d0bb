import { isEdgeApiError, isEdgeNetworkError, isWrongCode, isWrongCredentials } from '@edge-controller/sdk';

/** Tells a person what went wrong. Shows nothing without an error. */
export function Problem({ error }: { error: unknown }) {
  if (error === null) return null;
  return (
    <p id="message" role="alert">
      {explain(error)}
    </p>
  );
}

function explain(error: unknown): string {
  if (isEdgeNetworkError(error)) return 'The controller cannot be reached.';
  if (isWrongCode(error)) {
    const left = error.attemptsRemaining;
    return left === null ? 'That code is not right.' : `That code is not right. Attempts left: ${left}.`;
  }
  if (isWrongCredentials(error)) return 'User name or password are not right.';
  if (!isEdgeApiError(error)) return String(error);
  if (error.code === 'MFA_NOT_ENROLLED') return 'A second factor is required: set up an authenticator app first.';
  if (error.retryAfter !== null) return `Too many attempts. Try again in ${Math.ceil(error.retryAfter / 60)} minutes.`;
  return error.message;
}
