import type { ApiError, ApiErrorCause } from '../api/generated/entities.ts';
import { isSignIn } from '../calls/own-calls.ts';
import { authQueryError } from '../errors/auth-query-error.ts';
import type { EdgeAuthQueryError } from '../errors/errors.ts';
import { EdgeApiError } from '../errors/errors.ts';
import { retryAfter } from '../lib/retry-after.ts';
import { jwtChallenge } from './jwt-challenge.ts';
import { secretsOf } from './secrets-of.ts';
import type { SentCall } from './sent-call.ts';

interface RefusedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The error in the envelope of a response, or `undefined` without an envelope. */
export function refusal(
  { status, headers, body }: RefusedResponse,
  sent: SentCall,
): EdgeApiError | EdgeAuthQueryError | undefined {
  const { error } = (body ?? {}) as { error?: unknown };
  if (!isErrorBody(error)) return undefined;
  const secrets = secretsOf(sent);
  const { message, cause } = withoutSecrets(error, secrets);
  const refused = new EdgeApiError({
    ...{ code: error.code, requestId: error.requestId ?? '', status, cause },
    message: [message, ...reasonsOf(cause, secrets)].join(': '),
    isSignIn: isSignIn(sent.call.row),
    retryAfter: retryAfter(headers),
    attemptsRemaining: attemptsRemaining(headers),
    challenge: jwtChallenge(headers),
  });
  // The controller sends the same 401 for a partial session and for a missing permission.
  const isOutstanding = status === 401 && sent.isPartial && sent.call.row.access !== 'partial';
  return isOutstanding ? authQueryError('OUTSTANDING', refused) : refused;
}

/** Characters of a reason in a message. */
const maxReason = 200;

/**
 * The refused field and the reason, for the message of an error: not the refused value, and no text with a secret, however short
 * the secret is.
 */
function reasonsOf({ field, reason, message }: ApiErrorCause = {}, secrets: readonly string[]): string[] {
  const text = String(reason ?? message ?? '');
  const safe = secrets.some((secret) => text.includes(secret)) ? '' : text;
  return [String(field ?? ''), safe].filter(Boolean).map(shortened);
}

function shortened(text: string): string {
  return text.length > maxReason ? `${text.slice(0, maxReason)}…` : text;
}

function isErrorBody(value: unknown): value is ApiError {
  const { code, message } = (value ?? {}) as Partial<ApiError>;
  return typeof code === 'string' && typeof message === 'string';
}

function attemptsRemaining(headers: Headers): number | null {
  const text = headers.get('ratelimit-remaining') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/**
 * A controller may quote the refused value, and that value may be a password. Secrets of fewer than four characters
 * stay: they occur inside ordinary words.
 */
function withoutSecrets({ message, cause }: ApiError, secrets: readonly string[]) {
  const longSecrets = secrets.filter(({ length }) => length >= 4);
  const clean = (_key: string, value: unknown) =>
    typeof value === 'string'
      ? longSecrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), value)
      : value;
  return JSON.parse(JSON.stringify({ message, cause }), clean) as Pick<ApiError, 'message' | 'cause'>;
}
