import type { ReactNode } from 'react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { json, scriptedServer } from '../../test/support/scripted-server.ts';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import { createEdgeClient } from '../client/create-edge-client.ts';
import { EdgeProvider, useAuthQueries, useEdge, useSession, useSignIn } from './index.ts';

const detail = { id: 's', token: 't', identityId: 'i', identity: { name: 'ada' }, expirationSeconds: 1_800 };

const ada: SessionSnapshot = {
  state: 'active',
  session: {
    ...{ state: 'full', id: 's', identity: { id: 'i', name: 'ada' }, expiresAt: null, expirationSeconds: null },
    authQueries: [],
  },
};

function Everything(): ReactNode {
  const { state, session } = useSession();
  const { queries, isPending, error } = useAuthQueries();
  const signIn = useSignIn();
  return JSON.stringify({
    ...{ state, session, queries, isPending, error, client: useEdge().session?.identity.name },
    signIn: [Object.keys(signIn.signIn), signIn.isPending, signIn.error],
  });
}

const idle = { isPending: false, error: null, signIn: [['password', 'certificate', 'extJwt'], false, null] };

async function render(initialSession?: SessionSnapshot): Promise<unknown> {
  await using server = await scriptedServer((_seen, response) => json(response, 200, { data: detail, meta: {} }));
  const edge = createEdgeClient(server.url);
  await edge.signIn.password({ username: 'ada', password: 'secret' });
  const subscribe = vi.spyOn(edge, 'subscribe');
  const html = renderToString(createElement(EdgeProvider, { client: edge, initialSession }, createElement(Everything)));
  expect(subscribe).not.toHaveBeenCalled();
  edge.dispose();
  return JSON.parse(html.replaceAll('&quot;', '"'));
}

it('renders on a server as unknown, whatever the client knows', async () => {
  expect(await render()).toEqual({ ...idle, state: 'unknown', session: null, queries: [], client: 'ada' });
});

it('renders on a server what the server knows', async () => {
  expect(await render(ada)).toEqual({ ...idle, ...ada, queries: [], client: 'ada' });
});

it('says that the provider is missing', () => {
  expect(() => renderToString(createElement(Everything))).toThrow('<EdgeProvider client={edge}>');
});
