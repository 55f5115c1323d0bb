import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  /** Path with query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Script = (seen: SeenRequest, response: ServerResponse) => unknown;

/** A real HTTP server on a free port. `script` sends the responses; `seen` has all requests. */
export async function scriptedServer(script: Script) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const seenRequest = { method, path, headers, body: Buffer.concat(chunks).toString() };
    seen.push(seenRequest);
    await script(seenRequest, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  json(response, status, { error: { code, message: `refused: ${code}`, requestId: 'r-1' }, meta: {} }, headers);
}

export const invalidSession = {
  'www-authenticate': 'svc-session realm="svc-session" error="invalid" error_description="token is invalid"',
};

/** The members of a current API session that the SDK reads. */
export function sessionDetail(token: string, more: Record<string, unknown> = {}) {
  return {
    id: `id-of-${token}`,
    token,
    identityId: 'identity-1',
    identity: { id: 'identity-1', name: 'alice', entity: 'identities', _links: {} },
    authQueries: [],
    expirationSeconds: 1800,
    expiresAt: '2001-01-01T00:00:00.000Z',
    ...more,
  };
}

/** A controller that issues `token-1`, `token-2`, … and accepts the tokens in `live`. */
export async function scriptedController(more: Script = (_seen, response) => refuse(response, 404, 'NOT_FOUND')) {
  const live = new Set<string>();
  const settings = { detail: {} as Record<string, unknown>, challenge: true };
  let issued = 0;
  const server = await scriptedServer((seen, response) => {
    const token = String(seen.headers['svc-session'] ?? '');
    if (seen.path.includes('/authenticate?')) {
      issued += 1;
      live.add(`token-${issued}`);
      return json(response, 200, { data: sessionDetail(`token-${issued}`, settings.detail), meta: {} });
    }
    if (!live.has(token)) return refuse(response, 401, 'UNAUTHORIZED', settings.challenge ? invalidSession : {});
    if (!/\/current-api-session(\?|$)/.test(seen.path)) return more(seen, response);
    if (seen.method === 'DELETE') live.delete(token);
    return json(response, 200, {
      data: seen.method === 'DELETE' ? {} : sessionDetail(token, settings.detail),
      meta: {},
    });
  });
  return Object.assign(server, { live, settings, signIns: () => issued });
}
