import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '@edge-controller/operation-tables';
import { createEdgeClient, fileStorage } from '@edge-controller/sdk/node';
import { createAuthority } from '../../../sdk/test/support/openssl.ts';
import { json, sessionDetail } from '../../../sdk/test/support/scripted-server.ts';
import { startLocalServer } from '../../../sdk/test/support/tls-server.ts';

/** A text that moves the cursor, changes colours, titles and directions, hides, and begins a line that looks like one of ours. */
export const evil = `x'"$(id)\u001b]0;t\u0007\u001b[31mred\u001b[2J\u009b35m\r\b\u202egnp\u2066\u200b\u2028\ufeff\ud800\u{e0041}\nFORGED: y\t=z`;

/** What the controller says next. */
export interface Answer {
  readonly status?: number;
  /** The code of an error. */
  readonly code?: string;
  /** The data of a response. */
  readonly data?: unknown;
  /** The response is no envelope: `evil` alone, of the type that was asked for. */
  readonly isDocument?: boolean;
}

/** A controller that says `evil` wherever it can, and the folder of a profile that is signed in there. */
export async function startHostileController() {
  const authority = createAuthority();
  const folder = mkdtempSync(join(tmpdir(), 'edge-hostile-'));
  const paths: Record<string, Answer> = {};
  let answer: Answer = {};
  const server = await startLocalServer(authority, async (request, response) => {
    for await (const _chunk of request);
    const [path = ''] = request.url?.split('?') ?? [];
    if (path.endsWith('/authenticate')) return send(response, { data: session() });
    // Names that are like one that does not exist.
    if (request.url?.includes('icontains')) return send(response, { data: [evilRow([])] });
    const known = Object.keys(paths).find((end) => path.endsWith(end));
    if (known !== undefined) return send(response, paths[known] ?? {});
    if (answer.code === undefined && isSession(request, path)) return send(response, { data: session() });
    if (answer.isDocument) return sendDocument(response, request.headers.accept?.split(',')[0] ?? '');
    return send(response, answer);
  });
  const storage = fileStorage(join(folder, 'profiles', 'default.json'));
  const edge = createEdgeClient(server.url, { ca: authority.ca, storage });
  await edge.signIn.password({ username: 'admin', password: 'a password' });
  edge.dispose();
  const profile = { url: server.url, ca: authority.ca, method: 'password', username: evil };
  const signIn = () => storage.set('profile', JSON.stringify(profile));
  await signIn();
  return {
    ...{ url: server.url, folder, ca: authority.ca, paths, signIn },
    answer(next: Answer) {
      answer = next;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      authority[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An object whose members, and one of their names, are `evil`. */
export function evilRow(columns: readonly string[]): Row {
  const members = columns.filter((name) => !name.includes('.')).map((name) => [name, evil]);
  const objects = columns.flatMap((name) => {
    const [outer = '', inner] = name.split('.');
    return inner === undefined ? [] : [[outer, { id: evil, [inner]: evil }]];
  });
  return { ...Object.fromEntries([...members, ...objects]), id: evil, name: evil, [evil]: evil, list: [evil] };
}

/** The session of whoever asks. */
export const session = () => ({
  ...sessionDetail('token-1', { id: evil, ipAddress: evil }),
  identity: { id: evil, name: evil, entity: 'identities', _links: {} },
});

const isSession = ({ method }: IncomingMessage, path: string) =>
  method === 'GET' && path.endsWith('/client/v1/current-api-session');

function sendDocument(response: ServerResponse, type: string): void {
  response.writeHead(200, { 'content-type': type }).end(/json/.test(type) ? JSON.stringify({ [evil]: evil }) : evil);
}

function send(response: ServerResponse, { status, code, data }: Answer): void {
  if (code !== undefined) {
    const cause = { field: evil, reason: evil, value: evil };
    json(response, status ?? 400, { error: { code, message: evil, requestId: evil, cause }, meta: {} });
    return;
  }
  const total = Array.isArray(data) ? data.length : 0;
  const pagination = { limit: 100, offset: 0, totalCount: total };
  json(response, status ?? 200, { data, meta: { pagination, filterableFields: [evil] } });
}
