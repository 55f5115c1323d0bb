import { fileURLToPath } from 'node:url';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { servePage } from '../browser-sign-in/serve-page.ts';
import { startProvider } from './provider.ts';
import { register, unregister } from './register.ts';

const {
  EDGE_URL: controller = 'https://localhost:1280',
  EDGE_PAGE_PORT = '5180',
  EDGE_PROVIDER_PORT = '5181',
  EDGE_CA: caFile = fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url)),
  EDGE_ADMIN_USERNAME: username = '',
  EDGE_ADMIN_PASSWORD: password = '',
} = process.env;
if (!username || !password) {
  console.error('Set EDGE_ADMIN_USERNAME and EDGE_ADMIN_PASSWORD to the credentials of the administrator.');
  process.exit(1);
}
const page = `http://localhost:${EDGE_PAGE_PORT}/`;

const admin = createEdgeClient(controller, { caFile });
await admin.signIn.password({ username, password });
const { issuer } = await startProvider({ port: Number(EDGE_PROVIDER_PORT), page });
await unregister(admin);
const grace = await register(admin, issuer);
await admin.signOut();
await servePage({ port: Number(EDGE_PAGE_PORT), controller, base: import.meta.url, connect: [issuer] });
console.log(`Open ${page}`);
console.log('Sign in through the provider with the name "ada",');
console.log(`or as "${grace.username}" with the password ${grace.password}, and then with the name "grace".`);
console.log(`Start the controller at ${controller} with EDGE_CORS_ORIGINS=http://localhost:${EDGE_PAGE_PORT}`);
