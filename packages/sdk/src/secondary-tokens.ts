import type { ClientCore } from './client-core.ts';
import type { AuthQueryDetail, CurrentApiSessionDetail } from './generated/entities.ts';
import type { OperationRow } from './operation-row.ts';
import { sessionPath } from './shared.ts';
import type { GetToken, TokenSource } from './token-source.ts';
import { createTokenSource } from './token-source.ts';

/** Where the JWT comes from that is a second factor. */
export interface SecondaryToken {
  readonly getToken: GetToken;
  /** Id of the external JWT signer. Default: the source answers the `EXT-JWT` query of any signer. */
  readonly signer?: string | undefined;
}

interface Entry extends SecondaryToken {
  readonly source: TokenSource;
}

export type SecondaryParts = Pick<ClientCore, 'events' | 'keeper' | 'clock'>;

export type SecondaryTokens = ReturnType<typeof createSecondaryTokens>;

/**
 * The JWTs that are sent with every request of a session and with every sign-in: from the options of the client, or from
 * an answer to the `EXT-JWT` query of one session. `session` is the token of a session; `null` is a sign-in.
 */
export function createSecondaryTokens(option: SecondaryToken | undefined, { events, keeper, clock }: SecondaryParts) {
  const entryWith = (token: SecondaryToken): Entry => ({ ...token, source: createTokenSource(token.getToken, clock) });
  const standing = option && entryWith(option);
  let answer: (Entry & { readonly session: string }) | null = null;

  const entryOf = (session: string | null): Entry | undefined => (answer?.session === session ? answer : standing);
  const get = async (session: string | null, signal: AbortSignal) => entryOf(session)?.source.get(signal) ?? null;

  /**
   * Rejects the JWT of a request when the response still has the query that it should have answered. True when it did
   * so: the next `get` asks for another one.
   */
  function rejectIfAsked(session: string | null, { jwt, body, headers }: JwtResponse): boolean {
    const { data } = (body ?? {}) as { data?: Partial<CurrentApiSessionDetail> };
    const entry = entryOf(session);
    if (!entry || jwt === null || !data?.authQueries?.some((query) => isAnsweredBy(entry, query))) return false;
    entry.source.reject(jwt, isJwtExpired(headers) ? 'expired' : 'refused');
    return true;
  }

  // Forgets the JWTs of sessions that have ended.
  events.on('sessionChange', () => {
    const session = keeper.token();
    if (session === null) standing?.source.forget();
    if (answer?.session !== session) answer = null;
  });

  return {
    get,
    /** Sends a request with the JWT. When the session shows that it needs another one, asks for it and sends it again. */
    async send<R extends JwtResponse>({ row, session, signal }: JwtRequest, send: JwtSender<R>): Promise<R> {
      const jwt = await get(session, signal);
      const response = await send(jwt);
      const isRead = row.method === 'GET' && row.path === sessionPath;
      // A second sign-in would create a second session.
      if (!(isRead || session === null) || !rejectIfAsked(session, response) || session === null) return response;
      let next: string | null;
      try {
        next = await get(session, signal);
      } catch (error) {
        const read = () => {
          response.read();
          throw error;
        };
        return { ...response, read };
      }
      return next === null || next === jwt ? response : send(next);
    },
    /** Whether there is another JWT by now than the one that was sent. */
    hasOther(session: string, sent: string | null): boolean {
      const held = entryOf(session)?.source.held() ?? null;
      return held !== null && held !== sent;
    },
    /** Whether the JWT that a sign-in has sent was rejected. */
    isRejected: (): boolean => standing?.source.isRejected() === true,
    /** Uses this source for one session. Returns a function that takes it back. */
    answer(session: string, signer: string | undefined, getToken: GetToken): () => void {
      const before = answer;
      const entry = { ...entryWith({ getToken, signer }), session };
      answer = entry;
      return () => {
        if (answer === entry) answer = before;
      };
    },
  };
}

interface JwtRequest {
  readonly row: OperationRow;
  readonly session: string | null;
  readonly signal: AbortSignal;
}

interface JwtResponse {
  /** The JWT that the request had. */
  readonly jwt: string | null;
  readonly headers: Headers;
  readonly body: unknown;
  readonly read: () => unknown;
}

type JwtSender<R> = (jwt: string | null) => Promise<R>;

function isAnsweredBy({ signer }: Entry, { typeId, id }: AuthQueryDetail): boolean {
  return typeId === 'EXT-JWT' && (signer === undefined || signer === id);
}

function isJwtExpired(headers: Headers): boolean {
  return /realm="[^"]*ext-jwt".*\berror="expired"/.test(headers.get('www-authenticate') ?? '');
}
