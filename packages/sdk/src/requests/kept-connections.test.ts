import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Authority, Issued } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { json, sessionDetail } from '../../test/support/scripted-server.ts';
import { startLocalServer } from '../../test/support/tls-server.ts';
import type { EdgeClient, Fetch } from '../index.ts';
import { createEdgeClient } from '../index.ts';
import { mtls, nodeFetch } from '../node/index.ts';

const calls: Record<string, (edge: EdgeClient) => Promise<unknown>> = {
  GET: ({ management }) => management.identities.list(),
  PUT: ({ management }) => management.identities.update('id', { name: 'x', type: 'User', isAdmin: false }),
  POST: ({ management }) => management.identities.create({ name: 'x', type: 'User', isAdmin: false }),
  PATCH: ({ management }) => management.identities.patch('id', { name: 'x' }),
  DELETE: ({ management }) => management.identities.delete('id'),
  'GET with a code': ({ mfa }) => mfa.recoveryCodes('123456'),
  'POST with a code': ({ mfa }) => mfa.regenerate('123456'),
  'DELETE with a code': ({ mfa }) => mfa.disable('123456'),
};
const isSafe = (name: string) => name === 'GET';

let authority: Authority;
let client: Issued & { ca: string };
beforeAll(() => {
  authority = createAuthority();
  client = { ...authority.issue({ subject: 'sensor' }), ca: authority.ca };
});
afterAll(() => authority[Symbol.dispose]());

const transports: Record<string, () => Fetch> = {
  'the `fetch` of the platform': () => globalThis.fetch,
  nodeFetch: () => nodeFetch(),
  'mtls over TLS': () => mtls(client),
};

describe.each(Object.entries(transports))(`sent by ${inject('sendsWith')} with %s`, (name, fetchOf) => {
  const start = name.includes('TLS') ? (script: Script) => startLocalServer(authority, script) : startServer;

  test.each(Object.entries(calls))(
    'a request whose kept connection is lost is sent again at most `retries` times, and only a read: %s',
    async (method, call) => {
      for (const [retries, losses] of [
        [0, 1],
        [1, 9],
        [2, 9],
        [2, 1],
      ] as const) {
        await using controller = await createController(start);
        const edge = createEdgeClient(controller.url, { fetch: fetchOf(), retries });
        await edge.signIn.certificate();
        await controller.untilKept(() => edge.management.identities.list());
        controller.lose(losses);
        const outcome = await call(edge).then(
          () => 'worked',
          () => 'failed',
        );
        const repeats = isSafe(method) ? Math.min(losses, retries) : 0;
        const expected = { lost: Math.min(losses, repeats + 1), outcome: repeats === losses ? 'worked' : 'failed' };
        expect({ lost: controller.lost(), outcome, isKept: controller.isKept() }).toEqual({
          ...expected,
          isKept: true,
        });
      }
    },
  );
});

type Script = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A controller that can lose the connections of the next requests, after it has read them. */
async function createController(start: (script: Script) => Promise<{ url: string } & AsyncDisposable>) {
  const used = new WeakSet<Socket>();
  let isKept = false;
  let losses = 0;
  let lost = 0;
  const server = await start(async (request, response) => {
    for await (const _chunk of request);
    if (lost === 0) isKept = used.has(request.socket);
    used.add(request.socket);
    if (lost < losses) {
      lost += 1;
      return request.socket.destroy();
    }
    const data = request.url?.includes('/authenticate?') ? sessionDetail('token-1') : [];
    return json(response, 200, { data, meta: {} });
  });
  return Object.assign(server, {
    lost: () => lost,
    /** Whether the last request before a loss, or the first one that was lost, came on a connection that was kept. */
    isKept: () => isKept,
    async untilKept(send: () => Promise<unknown>) {
      do {
        // A connection that was used returns to the pool in a later turn of the event loop.
        for (let turns = 0; turns < 10; turns += 1) await turn();
        await send();
      } while (!isKept);
      for (let turns = 0; turns < 10; turns += 1) await turn();
    },
    lose(times: number) {
      losses = times;
    },
  });
}

async function startServer(script: Script) {
  const server = createServer(script);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
