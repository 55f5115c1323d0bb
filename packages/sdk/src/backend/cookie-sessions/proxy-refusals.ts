import { ownHeaders } from './proxied-headers.ts';

/** A refusal of the proxy, in the envelope of the API. */
function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  const error = { code, message, requestId: crypto.randomUUID() };
  const meta = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };
  return Response.json({ error, meta }, { status, headers: { ...headers, ...ownHeaders } });
}

export const refuseCrossSite = () =>
  refusal(403, 'UNAUTHORIZED', 'The request was not sent by a page of this application');

export const refusePath = () => refusal(404, 'NOT_FOUND', 'This application does not pass on this request');

export const refuseBody = () =>
  refusal(413, 'REQUEST_ENTITY_TOO_LARGE', 'The request body exceeds the maximum accepted size');

/** The page has the handle of a session that is not the one of its cookie: somebody has signed in or out in another tab. */
export function refuseHandle(sessionHeader: string): Response {
  const challenge = `${sessionHeader} realm="${sessionHeader}" error="invalid" error_description="token is invalid"`;
  return refusal(401, 'UNAUTHORIZED', 'The session is not the one of the cookie', { 'www-authenticate': challenge });
}

/** Without the envelope: it is no response of a controller, so a client in a page takes it for a failure of the network. */
export const refuseAway = () =>
  new Response('The controller cannot be reached. Please try again.', {
    status: 503,
    headers: { 'content-type': 'text/plain', 'retry-after': '1', ...ownHeaders },
  });
