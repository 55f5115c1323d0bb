import { isEdgeApiError } from '../errors/error-guards.ts';
import type { Clock } from '../lib/clock.ts';
import type { GivenJwt } from './token-error.ts';
import { tokenError } from './token-error.ts';
import { TokenSource } from './token-source.ts';

interface JwtSignIn<T> {
  readonly given: GivenJwt;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Signs in with this JWT. */
  readonly send: (jwt: string) => Promise<T>;
}

/** Signs in with a JWT, and once more with another one when the controller refuses it as expired or invalid. */
export async function signInWithJwt<T>({ given, clock, signal, send }: JwtSignIn<T>): Promise<T> {
  const source = new TokenSource(given, clock);
  const until = signal ?? new AbortController().signal;
  const jwt = await source.get(until);
  if (jwt === null) throw tokenError('NO_TOKEN', given);
  try {
    return await send(jwt);
  } catch (error) {
    const reason = isEdgeApiError(error) ? error.challenge?.error : undefined;
    if (reason !== 'expired' && reason !== 'invalid') throw error;
    source.reject(jwt, reason === 'expired' ? 'expired' : 'refused');
    const next = await source.get(until);
    if (next === null || next === jwt) throw error;
    return send(next);
  }
}
