import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';

/** What the clients with one storage tell each other about its session. Times: milliseconds since 1970. */
export type SessionMessage = ShownMessage | EndedMessage;

interface ShownMessage {
  readonly kind: 'shown';
  readonly detail: CurrentApiSessionDetail;
  readonly expiresAt: number | null;
  readonly endsAt?: number | null;
  /** When the controller has shown it. */
  readonly shownAt: number;
  /** Whether the controller can be asked about the session without a use of it. */
  readonly canPeek?: boolean;
}

interface EndedMessage {
  readonly kind: 'ended';
  readonly token: string;
  readonly by: SessionEnd;
}

/** `failed`: the session expired, and nobody could sign in again. */
export type SessionEnd = 'expired' | 'failed' | 'signedOut';

/** The message, or `null` when it has not the form of one: other scripts of the page may send anything. */
export function sessionMessageOf(value: unknown): SessionMessage | null {
  const message = (value ?? {}) as Partial<Record<keyof (ShownMessage & EndedMessage), unknown>>;
  const detail = (message.detail ?? {}) as Partial<Record<keyof CurrentApiSessionDetail, unknown>>;
  const isValid =
    message.kind === 'shown'
      ? [detail.token, detail.id, detail.identityId].every(isText) &&
        Array.isArray(detail.authQueries ?? []) &&
        [message.shownAt, message.expiresAt ?? 0, message.endsAt ?? 0].every((time) => isTime(time))
      : message.kind === 'ended' &&
        isText(message.token) &&
        ['expired', 'failed', 'signedOut'].includes(message.by as string);
  return isValid ? (value as SessionMessage) : null;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** The bound is that of `Date`. */
const isTime = (value: unknown) => typeof value === 'number' && Math.abs(value) <= 8.64e15;
