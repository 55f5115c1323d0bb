import type { Fetch } from '../api/fetch.ts';
import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';
import { callOf, sessionPath, sessionRow } from '../calls/own-calls.ts';
import { loadRest } from '../chunks/load.ts';
import { EdgeInvalidResponseError } from '../errors/errors.ts';
import type { ControllerUrl } from '../requests/controller-url.ts';
import { readResponse } from '../requests/read-response.ts';
import { isSessionRefusal } from '../requests/session-refusal.ts';
import type { TransportResponse } from '../requests/transport.ts';
import { Transport } from '../requests/transport.ts';

/** What a user has sent to the backend. */
export interface SessionCredentials {
  readonly token: string;
  /** The JWT of an external signer that is a second factor, or `null`. */
  readonly secondaryToken: string | null;
}

interface AskParts {
  readonly controllers: readonly ControllerUrl[];
  readonly fetch: () => Fetch;
  readonly sessionHeader: string;
}

interface AskRequest {
  readonly credentials: SessionCredentials;
  /** Milliseconds for all controllers together. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/**
 * Asks for the API session of the credentials. `null`: a controller says that there is none.
 *
 * @throws EdgeApiError, EdgeNetworkError, EdgeInvalidResponseError, the reason of the signal
 */
export type AskControllers = (request: AskRequest) => Promise<CurrentApiSessionDetail | null>;

/** Asks one controller after the other, first the one that worked last. */
export function createAskControllers({ controllers, fetch, sessionHeader }: AskParts): AskControllers {
  const transport = new Transport({
    controllers,
    fetch: (input, init) => fetch()(input, init),
    // The controller may have closed a connection that was idle.
    retries: 1,
    hooks: {},
    loadRest,
  });

  return async ({ credentials, timeout, signal }) => {
    const { token, secondaryToken } = credentials;
    // A CA file that cannot be read is no network error.
    fetch();
    const response = await transport.send({
      ...{ method: 'GET', api: 'client', path: sessionPath, headers: {}, accept: 'application/json', body: undefined },
      credentials: {
        [sessionHeader]: token,
        ...(secondaryToken !== null && { authorization: `Bearer ${secondaryToken}` }),
      },
      ...{ signal, timeout, isRepeatable: true },
    });
    return readSession(response, credentials);
  };
}

/** Only the error envelope of a controller proves that there is no session. The 401 of a proxy does not. */
function readSession(response: TransportResponse, { token, secondaryToken }: SessionCredentials) {
  const call = callOf(sessionRow);
  const jwts = secondaryToken === null ? [] : [secondaryToken];
  try {
    const detail = readResponse(response, { call, token, jwts, isPartial: false }) as Partial<CurrentApiSessionDetail>;
    // A cache between the backend and the controller could send the session of another user.
    const isAsked = detail.token === undefined || detail.token === token;
    const isReadable = Array.isArray(detail.authQueries ?? []);
    if (isAsked && isReadable && isText(detail.id) && isText(detail.identityId))
      return detail as CurrentApiSessionDetail;
  } catch (error) {
    if (isSessionRefusal(response)) return null;
    throw error;
  }
  throw new EdgeInvalidResponseError(response.target, response.status);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
