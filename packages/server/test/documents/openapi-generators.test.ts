import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypes, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController } from '../support/controller.ts';
import { runNode } from '../support/recipe.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const documentOf = (name: string) => join(root, 'docs/openapi', `${name}.json`);
const credentials = `declare const process: { env: Record<string, string> };
const { EDGE_URL = '', EDGE_USERNAME = '', EDGE_PASSWORD = '' } = process.env;
const body = { username: EDGE_USERNAME, password: EDGE_PASSWORD };
const query = { method: 'password' } as const;
`;

/** With the types that openapi-typescript prints. */
const typed = `import createClient from 'openapi-fetch';
import type { paths as ClientPaths } from './client.ts';
import type { components, paths } from './management.ts';
${credentials}
const client = createClient<ClientPaths>({ baseUrl: \`\${EDGE_URL}/edge/client/v1\` });
const { data: signedIn } = await client.POST('/authenticate', { params: { query }, body });
const headers = { 'svc-session': signedIn?.data.token };
const management = createClient<paths>({ baseUrl: \`\${EDGE_URL}/edge/management/v1\`, headers });
const list = { filter: 'isAdmin = true', roleFilter: [], limit: 5 };
const { data } = await management.GET('/identities', { params: { query: list } });
const identities: components['schemas']['identityDetail'][] = data?.data ?? [];
const { error } = await management.GET('/identities/{id}', { params: { path: { id: 'nobody' } } });
console.log(JSON.stringify([identities.map(({ name }) => name), data?.meta.pagination?.totalCount, error?.error.code]));
`;

/** With the client that Hey API generates. */
const generated = (folder: string) => `import { client } from './${folder}/client.gen.ts';
import { authenticate, detailIdentity, listIdentities } from './${folder}/sdk.gen.ts';
${credentials}
client.setConfig({ baseUrl: \`\${EDGE_URL}/edge/management/v1\` });
const { data: signedIn } = await authenticate({ query, body });
const session = signedIn?.data.token ?? '';
client.setConfig({ auth: (scheme) => (scheme.name === 'svc-session' ? session : undefined) });
const { data } = await listIdentities({ query: { filter: 'isAdmin = true', limit: 5 } });
const { error } = await detailIdentity({ path: { id: 'nobody' } });
const names = data?.data.map(({ name }) => name);
console.log(JSON.stringify([names, data?.meta.pagination?.totalCount, error?.error.code]));
`;

let server: TestController;
let folder: string;

beforeAll(async () => {
  server = await startController();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'edge-generators-')));
  symlinkSync(join(root, 'packages/server/node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

/** Runs a program that signs in and lists the administrators. */
async function run(program: string) {
  const { username, password } = adminCredentials;
  const { output } = await runNode(folder, [program], {
    EDGE_URL: server.url,
    EDGE_USERNAME: username,
    EDGE_PASSWORD: password,
    NODE_EXTRA_CA_CERTS: server.caFile,
  });
  return output.trim();
}

async function compile(files: readonly string[]) {
  const options = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true };
  const modules = {
    module: 'nodenext',
    target: 'es2023',
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
  };
  const compilerOptions = { ...options, ...modules, lib: ['es2023', 'dom', 'dom.iterable'], types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return (await runNode(folder, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])).output;
}

const expected = JSON.stringify([['Default Admin'], 1, 'NOT_FOUND']);

it('openapi-typescript prints types of both 3.1 documents, with which a client signs in and lists identities', async () => {
  for (const name of ['client', 'management']) {
    const types = await openapiTypes(pathToFileURL(documentOf(`${name}.openapi`)));
    writeFileSync(join(folder, `${name}.ts`), astToString(types));
  }
  writeFileSync(join(folder, 'typed.ts'), typed);
  expect(await compile(['typed.ts'])).toBe('');
  expect(await run('typed.ts')).toBe(expected);
});

it.each(['management.openapi', 'management'])(
  'Hey API generates a client of %s.json that signs in and lists identities',
  async (document) => {
    const output = join(folder, document);
    await createClient({
      input: documentOf(document),
      output: { path: output, module: { extension: '.ts' } },
      logs: { level: 'silent' },
      plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    });
    writeFileSync(join(folder, `${document}.ts`), generated(document));
    expect(await run(`${document}.ts`)).toBe(expected);
  },
);
