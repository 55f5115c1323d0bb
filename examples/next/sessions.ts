import { join } from 'node:path';
import { createCookieSessions } from '@edge-controller/sdk/backend';
import { headers } from 'next/headers';

const { EDGE_PAGE_PORT = '5180', SESSION_SECRET = 'a secret for this example, not for production' } = process.env;

export const origin = process.env.ORIGIN ?? `http://localhost:${EDGE_PAGE_PORT}`;

export const sessions = createCookieSessions({
  controller: process.env.EDGE_URL ?? 'https://localhost:1280',
  caFile: process.env.EDGE_CA ?? join(process.cwd(), '../../.edge-controller/pki/ca.pem'),
  secret: SESSION_SECRET,
  origin,
  // A proxy in front of the application must set it, whatever the user sends. Next does not tell the address of the connection.
  clientAddress: ({ headers }) => headers.get('x-real-ip'),
});

/** What a server component has of its request. */
export const pageRequest = async () => ({ method: 'GET', headers: await headers() });

/** Leads the browser to a page after a form. `headers`: those of the session. */
export function redirectTo(path: string, headers = new Headers()): Response {
  headers.set('location', new URL(path, origin).href);
  return new Response(null, { status: 303, headers });
}
