export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Whether a response is a 401 of the controller. A proxy can send a 401, too: it says nothing about the session. */
export function isSessionRefusal({ status, headers, body }: Refusal): boolean {
  const { error, meta } = (body ?? {}) as { error?: { code?: unknown; requestId?: unknown } | null; meta?: unknown };
  // Other products have envelopes with a code, too.
  const isEnvelope = typeof error?.code === 'string' && typeof error.requestId === 'string' && meta !== undefined;
  return status === 401 && (isEnvelope || hasInvalidChallenge(headers));
}

/** Finds `svc-session realm="…" error="invalid"`. Spaces may separate parameters, commas separate challenges. */
export function hasInvalidChallenge(headers: Headers): boolean {
  const challenges = (headers.get('www-authenticate') ?? '').split(',');
  return challenges.some((text) => /^\s*[\w-]*session\s.*error="?(invalid|expired)/i.test(text));
}
