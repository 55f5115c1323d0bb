import { fileURLToPath } from 'node:url';
import { createCookieSessions } from '@edge-controller/sdk/backend';
import { getRequestEvent } from '$app/server';

const { EDGE_PAGE_PORT = '5180', SESSION_SECRET = 'a secret for this example, not for production' } = process.env;

export const sessions = createCookieSessions({
  controller: process.env.EDGE_URL ?? 'https://localhost:1280',
  caFile:
    process.env.EDGE_CA ?? fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', `file://${process.cwd()}/`)),
  secret: SESSION_SECRET,
  origin: process.env.ORIGIN ?? `http://localhost:${EDGE_PAGE_PORT}`,
  clientAddress: () => getRequestEvent().getClientAddress(),
});
