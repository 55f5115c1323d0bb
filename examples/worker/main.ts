import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { runInWebRuntime } from './web-runtime.ts';
import type exampleWorker from './worker.ts';

const { EDGE_URL = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const caFile = EDGE_CA ?? fileURLToPath(new URL('../../.edge-controller/pki/ca.pem', import.meta.url));

if (!EDGE_ADMIN_USERNAME || !EDGE_ADMIN_PASSWORD) {
  console.error('Set EDGE_ADMIN_USERNAME and EDGE_ADMIN_PASSWORD to the credentials of the administrator.');
  process.exit(1);
}
if (!existsSync(caFile)) {
  console.error(
    `There is no CA bundle at ${caFile}. Start the controller with "npm start", or set EDGE_CA to its pki/ca.pem.`,
  );
  process.exit(1);
}
// A worker cannot trust a CA of its own: its runtime does, or the controller has a certificate of a public CA.
setDefaultCACertificates([...getCACertificates(), readFileSync(caFile, 'utf8')]);

const settings = { EDGE_URL, EDGE_USERNAME: EDGE_ADMIN_USERNAME, EDGE_PASSWORD: EDGE_ADMIN_PASSWORD };
const exports = (await runInWebRuntime(fileURLToPath(new URL('worker.ts', import.meta.url)))) as {
  default: typeof exampleWorker;
};
const worker = exports.default;

const response = await worker.fetch(new Request('https://worker.example/'), settings);
assert.equal(response.status, 200);
const names = (await response.json()) as string[];
assert.ok(names.length > 0);
console.log(`the worker signed in and read the names of ${names.length} identities`);
