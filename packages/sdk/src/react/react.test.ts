import type { ReactNode } from 'react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { json, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient } from '../client/create-edge-client.ts';
import { EdgeProvider, useAuthQueries, useEdge, useSession } from './index.ts';

const detail = { id: 's', token: 't', identityId: 'i', identity: { name: 'ada' }, expirationSeconds: 1_800 };

function Everything(): ReactNode {
  const { state, session } = useSession();
  const { queries, isPending, error } = useAuthQueries();
  return JSON.stringify({ state, session, queries, isPending, error, client: useEdge().session?.identity.name });
}

it('renders on a server as signed out, whatever the client knows', async () => {
  await using server = await scriptedServer((_seen, response) => json(response, 200, { data: detail, meta: {} }));
  const edge = createEdgeClient(server.url);
  await edge.signIn.password({ username: 'ada', password: 'secret' });
  const html = renderToString(createElement(EdgeProvider, { client: edge }, createElement(Everything)));
  expect(JSON.parse(html.replaceAll('&quot;', '"'))).toEqual({
    ...{ state: 'signed-out', session: null, queries: [], isPending: false, error: null, client: 'ada' },
  });
  edge.dispose();
});

it('says that the provider is missing', () => {
  expect(() => renderToString(createElement(Everything))).toThrow('<EdgeProvider client={edge}>');
});
