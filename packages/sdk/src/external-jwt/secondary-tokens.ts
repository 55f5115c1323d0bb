import type { AuthQueryDetail, CurrentApiSessionDetail } from '../api/generated/entities.ts';
import type { SecondaryToken } from '../api/secondary-token.ts';
import type { OperationRow } from '../calls/operation-row.ts';
import { sessionPath } from '../calls/own-calls.ts';
import type { Clock } from '../lib/clock.ts';
import type { GivenJwt } from './token-error.ts';
import { TokenSource } from './token-source.ts';

interface Entry {
  readonly signer?: string | undefined;
  readonly source: TokenSource;
}

export interface SecondaryParts {
  readonly events: { on(name: 'sessionChange', listener: () => void): () => void };
  readonly manager: { token(): string | null };
  readonly clock: Clock;
}

/**
 * The JWTs that are sent with every request of a session and with every sign-in: from the options of the client, or from
 * an answer to the `EXT-JWT` query of one session. `session` is the token of a session; `null` is a sign-in.
 */
export class SecondaryTokens {
  readonly #clock: Clock;
  readonly #standing: Entry | undefined;
  #answer: (Entry & { readonly session: string }) | null = null;

  constructor(option: SecondaryToken | undefined, { events, manager, clock }: SecondaryParts) {
    this.#clock = clock;
    this.#standing = option && this.#entryWith(option.getToken, option.signer);
    // Forgets the JWTs of sessions that have ended.
    events.on('sessionChange', () => {
      const session = manager.token();
      if (session === null) this.#standing?.source.forget();
      if (this.#answer?.session !== session) this.#answer = null;
    });
  }

  async get(session: string | null, signal: AbortSignal): Promise<string | null> {
    return this.#entryOf(session)?.source.get(signal) ?? null;
  }

  /** Sends a request with the JWT. When the session shows that it needs another one, asks for it and sends it again. */
  async send<R extends JwtResponse>({ row, session, signal }: JwtRequest, send: JwtSender<R>): Promise<R> {
    const jwt = await this.get(session, signal);
    const response = await send(jwt);
    const isRead = row.method === 'GET' && row.path === sessionPath;
    // A second sign-in would create a second session.
    if (!(isRead || session === null) || !this.#rejectIfAsked(session, response) || session === null) return response;
    let next: string | null;
    try {
      next = await this.get(session, signal);
    } catch (error) {
      const read = () => {
        response.read();
        throw error;
      };
      return { ...response, read };
    }
    return next === null || next === jwt ? response : send(next);
  }

  /** Whether there is another JWT by now than the one that was sent. */
  hasOther(session: string, sent: string | null): boolean {
    const kept = this.#entryOf(session)?.source.kept() ?? null;
    return kept !== null && kept !== sent;
  }

  /** Whether the JWT that a sign-in has sent was rejected. */
  isRejected(): boolean {
    return this.#standing?.source.isRejected() === true;
  }

  /** Uses this source for one session. Returns a function that takes it back. */
  answer(session: string, signer: string | undefined, given: GivenJwt): () => void {
    const before = this.#answer;
    const entry = { ...this.#entryWith(given, signer), session };
    this.#answer = entry;
    return () => {
      if (this.#answer === entry) this.#answer = before;
    };
  }

  #entryWith(given: GivenJwt, signer: string | undefined): Entry {
    return { signer, source: new TokenSource(given, this.#clock) };
  }

  #entryOf(session: string | null): Entry | undefined {
    return this.#answer?.session === session ? this.#answer : this.#standing;
  }

  /**
   * Rejects the JWT of a request when the response still has the query that it should have answered. Returns whether it was
   * rejected: the next `get` then asks for another one.
   */
  #rejectIfAsked(session: string | null, { jwt, body, headers }: JwtResponse): boolean {
    const { data } = (body ?? {}) as { data?: Partial<CurrentApiSessionDetail> };
    const entry = this.#entryOf(session);
    if (!entry || jwt === null || !data?.authQueries?.some((query) => isAnsweredBy(entry, query))) return false;
    entry.source.reject(jwt, isJwtExpired(headers) ? 'expired' : 'refused');
    return true;
  }
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

function isAnsweredBy({ signer }: Entry, query: AuthQueryDetail): boolean {
  return query.typeId === 'EXT-JWT' && (signer === undefined || signer === query.id);
}

function isJwtExpired(headers: Headers): boolean {
  return /realm="[^"]*ext-jwt".*\berror="expired"/.test(headers.get('www-authenticate') ?? '');
}
