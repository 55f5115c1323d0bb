import type { AuthQueryDetail } from '@edge-controller/shared-types';
import type { Clock } from './clock.ts';
import type { GetToken, TokenSource } from './token-source.ts';

/** Where the JWT comes from that is a second factor. */
export interface SecondaryToken {
  readonly getToken: GetToken;
  /** Id of the external JWT signer. Default: the source answers the `EXT-JWT` query of any signer. */
  readonly signer?: string | undefined;
}

interface Entry extends SecondaryToken {
  /** Its code is loaded when the first JWT is needed: most clients need none. */
  source?: TokenSource;
}

export type SecondaryTokens = ReturnType<typeof createSecondaryTokens>;

/**
 * The JWTs that are sent with every request of a session and with every sign-in: from the options of the client, or from
 * an answer to the `EXT-JWT` query of one session. `session` is the token of a session; `null` is a sign-in.
 */
export function createSecondaryTokens(option: SecondaryToken | undefined, clock: Clock) {
  const standing: Entry | undefined = option && { ...option };
  let answer: (Entry & { readonly session: string }) | null = null;

  const entryOf = (session: string | null): Entry | undefined => (answer?.session === session ? answer : standing);

  return {
    async get(session: string | null, signal: AbortSignal): Promise<string | null> {
      const entry = entryOf(session);
      if (entry === undefined) return null;
      const { createTokenSource } = await import('./token-source.ts');
      entry.source ??= createTokenSource(entry.getToken, clock);
      return entry.source.get(signal);
    },
    held: (session: string | null): string | null => entryOf(session)?.source?.held() ?? null,
    /**
     * Rejects the JWT of a request when the response still has the query that it should have answered. True when it did
     * so: the next `get` asks for another one.
     */
    rejectIfAsked(session: string | null, jwt: string | null, response: Asking): boolean {
      const entry = entryOf(session);
      if (entry === undefined || jwt === null || !response.queries.some((query) => isAnsweredBy(entry, query))) {
        return false;
      }
      entry.source?.reject(jwt, response.isExpired ? 'expired' : 'refused');
      return true;
    },
    /** Whether the JWT that a sign-in has sent was rejected. */
    isRejected: (): boolean => standing?.source?.isRejected() === true,
    /** Uses this source for one session. Returns a function that takes it back. */
    answer(session: string, signer: string | undefined, getToken: GetToken): () => void {
      const before = answer;
      const entry = { getToken, signer, session };
      answer = entry;
      return () => {
        if (answer === entry) answer = before;
      };
    },
    /** Forgets the JWTs of sessions that have ended. */
    keepOnly(session: string | null): void {
      if (session === null) standing?.source?.forget();
      if (answer?.session !== session) answer = null;
    },
  };
}

interface Asking {
  readonly queries: readonly AuthQueryDetail[];
  readonly isExpired: boolean;
}

function isAnsweredBy({ signer }: Entry, { typeId, id }: AuthQueryDetail): boolean {
  return typeId === 'EXT-JWT' && (signer === undefined || signer === id);
}
