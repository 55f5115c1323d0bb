import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import type { Done } from './bootstrap.mjs';
import { build, node, root, run } from './bootstrap.mjs';
import { entriesOf, installedProject } from './pack/installed-project.ts';
import { published } from './pack.ts';
import { startServer } from './start-server.ts';
import type { Tally } from './tally.ts';
import { createTally, messageOf } from './tally.ts';

const LIMIT = 120_000;

/** The files whose first JavaScript block is the first program of a new user. */
const readmes = { 'README.md': 'readme', 'packages/sdk/README.md': 'sdk-readme' };

/**
 * Installs the packed packages in an empty project and uses them there as a new user does. It runs the executable of the server
 * and opens its pages. It runs the first examples as a module, in CommonJS and in TypeScript. It starts a controller for tests,
 * and a backend in Node and in the bundle of a worker. It checks the types of all entries. Run a build first.
 */
export async function checkPacked(tally: Tally) {
  let folder = '';
  try {
    folder = await installedProject();
    writeProject(folder);
    const compiled = Object.keys(projects).map(async (name) => ({
      name,
      result: await run('tsc', ['-p', `${name}.json`], { cwd: folder, timeout: LIMIT }),
    }));
    for (const { name, result } of await Promise.all(compiled)) tally.step(`packed: types, ${name}`, result);
    tally.step('packed: license, README, changelog and SBOM', textsOf(folder));
    const load = await run(node, ['load.mjs'], { cwd: folder, timeout: LIMIT });
    tally.step('packed: import and require of every entry', load);
    const edge = await run(node, ['node_modules/@edge-controller/cli/dist/bin.js', '--help'], {
      cwd: folder,
      timeout: LIMIT,
    });
    tally.step('packed: edge --help', edge);
    for (const file of ['test-controller.mjs', 'test-controller.cjs']) {
      tally.step(`packed: ${file}`, await run(node, [file], { cwd: folder, timeout: LIMIT }));
      tally.step(`packed: ${file} on a Node that is too old`, await runInOldNode(file, folder));
    }
    tally.step('packed: the bundle of a worker', await runForWorkers(folder));
    await runFirstExamples(tally, folder);
  } catch (error) {
    tally.fail('packed packages', messageOf(error));
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

/** The texts that every package has, see docs/releasing.md. */
function textsOf(folder: string): Done {
  const missing = published.flatMap((name) => {
    const texts = [
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'sbom.cdx.json',
      ...(name === 'shared-types' ? [] : ['llms.txt']),
    ];
    const files = texts.map((text) => join(folder, 'node_modules/@edge-controller', name, text));
    return files.filter((file) => !existsSync(file) || (file.endsWith('CHANGELOG.md') && !hasRelease(file)));
  });
  return { code: missing.length === 0 ? 0 : 1, output: missing.map((file) => `missing or empty: ${file}`).join('\n') };
}

const hasRelease = (changelog: string) => /^## .+\n\n### .+\n\n- ./m.test(readFileSync(changelog, 'utf8'));

/** Only the version is old. */
async function runInOldNode(file: string, cwd: string): Promise<Done> {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, file];
  const { code, output } = await run(node, args, { cwd, timeout: LIMIT });
  const isRefused = code === 1 && /startTestController needs Node \S+ or newer; this is Node 20\.20\.2/.test(output);
  return { code: isRefused ? 0 : 1, output };
}

/** The server has its data where the examples look for its certificates. */
async function runFirstExamples(tally: Tally, folder: string) {
  const EDGE_ADMIN_PASSWORD = `pw-${Math.random().toString(36).slice(2)}-Aa1`;
  const settings = { EDGE_ADMIN_PASSWORD };
  const server = await startServer('node_modules/@edge-controller/server/dist/bin.js', { settings, cwd: folder });
  const extraEnv = { EDGE_URL: server.url, EDGE_ADMIN_PASSWORD };
  for (const [path, name] of Object.entries(readmes)) {
    const start = async (file: string) =>
      withPromisedOutput(path, await run(node, [file], { cwd: folder, extraEnv, timeout: LIMIT }));
    tally.step(`packed: ${path} as a module`, await start(`${name}.mjs`));
    tally.step(`packed: ${path} in CommonJS`, await start(`${name}.cjs`));
    tally.step(`packed: ${path} in TypeScript`, await start(`dist/${name}.js`));
  }
  for (const file of ['pages.mjs', 'backend.mjs', 'backend.cjs']) {
    tally.step(`packed: ${file}`, await run(node, [file], { cwd: folder, extraEnv, timeout: LIMIT }));
  }
  tally.step('packed: the executable of the server', await server.stop());
}

function firstExample(path: string): string {
  const [, block = ''] = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  if (block === '') throw new Error(`${path} has no js block`);
  return block;
}

/** A comment behind `console.log` says what it prints. */
function withPromisedOutput(path: string, { code, output }: Done): Done {
  const promised = [...firstExample(path).matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text = '']) => text);
  const missing = promised.filter((text) => !output.includes(text));
  return missing.length === 0 ? { code, output } : { code: code || 1, output: `${output}\nnot printed: ${missing}` };
}

const testController = `import { startTestController } from '@edge-controller/sdk/testing';
await using controller = await startTestController();
const { signIn } = await controller.createIdentity();
await signIn();
`;

/** A session that nobody has is refused: the verifier trusts the controller. */
const backend = `import { createSessionVerifier } from '@edge-controller/sdk/backend';
const verifier = createSessionVerifier({ controller: process.env.EDGE_URL, caFile: '.edge-controller/pki/ca.pem' });
const { response } = await verifier.verifyRequest({ headers: { 'svc-session': 'unknown' } });
if (response?.status !== 401) throw new Error(\`the status is \${response?.status}\`);
`;

/** The package has the files of the pages. */
const pages = `import { readFileSync } from 'node:fs';
import { get } from 'node:https';
const ca = readFileSync('.edge-controller/pki/ca.pem');
for (const path of ['/edge/docs', '/edge/docs/docs.js', '/edge/docs/swagger-ui-bundle.js']) {
  const response = await new Promise((resolve, reject) => {
    get(process.env.EDGE_URL + path, { ca, agent: false }, resolve).on('error', reject);
  });
  response.resume();
  if (response.statusCode !== 200) throw new Error(\`\${path}: \${response.statusCode}\`);
}
`;

/** There is nothing of Node in the bundle, so nothing that trusts a CA. */
async function runForWorkers(folder: string): Promise<Done> {
  const { metafile } = await bundle({
    ...{ entryPoints: [join(folder, 'backend.mjs')], outfile: join(folder, 'worker.mjs'), absWorkingDir: folder },
    ...{ bundle: true, platform: 'neutral', format: 'esm', metafile: true, logLevel: 'error' },
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const extraEnv = { EDGE_URL: 'https://localhost:1280' };
  const { code, output } = await run(node, ['worker.mjs'], { cwd: folder, extraEnv, timeout: LIMIT });
  const isRight = imports.length === 0 && code === 1 && output.includes('TypeError: ca and caFile work in Node only');
  return { code: isRight ? 0 : 1, output: `${JSON.stringify(imports)}\n${output}` };
}

const strict = { strict: true, skipLibCheck: false, skipDefaultLibCheck: true, target: 'es2022' };

const bundler = { module: 'preserve', moduleResolution: 'bundler', noEmit: true };

/** Every project checks the declarations of all packages that it imports, and of what these import. */
const projects = {
  'nodenext without DOM': {
    files: [...Object.values(readmes).map((name) => `${name}.ts`), 'node-entries.ts', 'node-entries.cts'],
    compilerOptions: { ...strict, module: 'nodenext', lib: ['es2022'], types: ['node'], outDir: 'dist' },
  },
  bundler: {
    files: [...Object.values(readmes).map((name) => `${name}.ts`), 'sdk-entries.ts'],
    compilerOptions: { ...strict, ...bundler, lib: ['es2022', 'dom'], types: ['node'] },
  },
  'bundler without Node': {
    files: ['browser-entries.ts'],
    compilerOptions: { ...strict, ...bundler, lib: ['es2022', 'dom'], types: [] },
  },
};

const nodeOnly = /sdk\/(node|testing)$/;
const browserOnly = /sdk\/(oidc|react|vue|svelte|solid|qr)$/;

function writeProject(folder: string) {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  // The types of shared-types are those of its library, and cost more time than all others.
  const entries = entriesOf(folder).filter((path) => !path.endsWith('/shared-types'));
  const ofSdk = entries.filter((path) => path.includes('/sdk'));
  const importAll = (paths: readonly string[]) =>
    paths
      .map((path, at) => `import * as entry${at} from '${path}';\nexport type Entry${at} = typeof entry${at};\n`)
      .join('');
  mkdirSync(join(folder, 'dist'));
  write('package.json', '{ "private": true, "type": "module" }');
  for (const [path, name] of Object.entries(readmes)) {
    const example = firstExample(path);
    write(`${name}.mjs`, example);
    write(`${name}.ts`, example);
    write(`${name}.cjs`, inCommonJs(example));
  }
  write('test-controller.mjs', testController);
  write('test-controller.cjs', inCommonJs(testController));
  write('pages.mjs', pages);
  write('backend.mjs', backend);
  write('backend.cjs', inCommonJs(backend));
  write('load.mjs', loadAll(ofSdk));
  write('sdk-entries.ts', importAll(ofSdk));
  write('node-entries.ts', importAll(entries.filter((path) => !browserOnly.test(path))));
  // The server is an ECMAScript module only.
  write('node-entries.cts', importAll(ofSdk.filter((path) => !browserOnly.test(path))));
  write('browser-entries.ts', importAll(ofSdk.filter((path) => !nodeOnly.test(path))));
  for (const [name, project] of Object.entries(projects)) write(`${name}.json`, JSON.stringify(project));
}

function loadAll(paths: readonly string[]) {
  const load = (path: string) => `require('${path}');\nawait import('${path}');\n`;
  return `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n${paths.map(load).join('')}`;
}

function inCommonJs(example: string) {
  const body = example.replace(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = require($2);');
  return `(async () => {\n${body}})().catch((error) => {\n  console.error(error);\n  process.exitCode = 1;\n});\n`;
}

if (import.meta.main) {
  await build(['*']);
  const tally = createTally();
  await checkPacked(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
