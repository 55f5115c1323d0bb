import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { circles, readSources } from '../support/sources.ts';

/** A table of secrets → the only folder that reads and writes it, beside the migrations. */
const ownedTables: Record<string, string> = {
  passwords: 'packages/server/src/credentials/passwords/',
  passwordDummies: 'packages/server/src/credentials/passwords/',
  passwordDelays: 'packages/server/src/credentials/passwords/',
  mfas: 'packages/server/src/credentials/mfas/',
  enrollmentTokens: 'packages/server/src/credentials/enrollment-tokens/',
};

/** A package → the folders or files (in the repository) that may import it, types aside. */
const confined: Record<string, readonly string[]> = {
  koa: ['packages/server/src/http/'],
  'koa-compose': ['packages/server/src/http/'],
  '@koa/cors': ['packages/server/src/http/middleware/'],
  '@koa/router': ['packages/server/src/http/operations/'],
  'proxy-addr': ['packages/server/src/http/middleware/'],
  'raw-body': ['packages/server/src/http/operations/'],
  'ipaddr.js': [
    ...['packages/server/src/http/', 'packages/server/src/credentials/jwks/', 'packages/server/src/pki/'],
    'packages/server/src/core/text/address-group.ts',
    'packages/server/src/core/text/local-host.ts',
  ],
  'rate-limiter-flexible': ['packages/server/src/storage/attempt-limits/'],
  redis: [
    'packages/server/src/storage/database/redis/',
    'packages/server/src/storage/session-store/redis/',
    'packages/server/src/storage/peers/redis-peers.ts',
  ],
  pg: ['packages/server/src/storage/entity-store/postgres/'],
  'better-sqlite3': [
    'packages/server/src/storage/database/sqlite/',
    'packages/server/src/storage/entity-store/sqlite/',
  ],
  kysely: [
    'packages/server/src/storage/database/',
    'packages/server/src/storage/entity-store/',
    'packages/server/src/storage/session-store/sqlite/',
    'packages/server/src/storage/revocation/',
    'packages/server/src/credentials/rights/',
    'packages/server/src/credentials/sign-in-rules/',
    'packages/server/src/crud/',
    'packages/server/src/credentials/passwords/',
    'packages/server/src/credentials/mfas/',
    'packages/server/src/audit/',
    'packages/server/src/access/service-access/',
    'packages/server/src/access/service-updates/',
  ],
  jose: ['packages/server/src/pki/', 'packages/server/src/credentials/jwt/', 'packages/router-double/src/'],
  '@peculiar/x509': ['packages/server/src/pki/', 'packages/router-double/src/'],
  'reflect-metadata': ['packages/server/src/pki/', 'packages/router-double/src/'],
  '@bufbuild/protobuf': ['packages/router-messages/src/'],
  ajv: ['packages/server/src/entities/json-schemas/'],
  'ajv-formats': ['packages/server/src/entities/json-schemas/'],
  re2js: ['packages/server/src/entities/json-schemas/'],
  semver: ['packages/server/src/access/posture/'],
  argon2: ['packages/server/src/core/secrets/password-hash.ts'],
  otplib: ['packages/server/src/sign-in/authentication/queries/totp/'],
  qr: ['packages/server/src/sign-in/authentication/queries/totp/'],
  pngjs: ['packages/server/src/sign-in/authentication/queries/totp/'],
  'prom-client': ['packages/server/src/operate/metrics/'],
  '@opentelemetry/api': ['packages/server/src/operate/traces/'],
  '@opentelemetry/core': ['packages/server/src/operate/traces/'],
  '@opentelemetry/exporter-trace-otlp-http': ['packages/server/src/operate/traces/'],
  '@opentelemetry/resources': ['packages/server/src/operate/traces/'],
  '@opentelemetry/sdk-trace': ['packages/server/src/operate/traces/'],
  pino: ['packages/server/src/core/log/create-logger.ts'],
  yaml: [
    ...['packages/server/src/core/config/', 'packages/server/src/documents/openapi/'],
    ...['packages/cli/src/output/', 'packages/cli/src/apply/'],
  ],
  zod: ['packages/shared-types/src/', 'packages/server/src/'],
  ky: ['packages/sdk/src/requests/send-with-ky.ts'],
  '@noble/ciphers': ['packages/sdk/src/edge-routers/'],
  oauth4webapi: ['packages/sdk/src/oidc/', 'packages/cli/src/commands/device-flow.ts'],
  commander: ['packages/cli/src/commands/'],
  '@inquirer/input': ['packages/cli/src/input/prompts.ts'],
  '@inquirer/password': ['packages/cli/src/input/prompts.ts'],
  'cli-table3': ['packages/cli/src/output/table.ts'],
  'cli-progress': ['packages/cli/src/output/progress.ts'],
  'csv-stringify': ['packages/cli/src/output/csv-of.ts'],
  open: ['packages/cli/src/commands/provider-sign-in.ts'],
  '@edge-controller/server': ['packages/sdk/src/testing/load-server.ts'],
};

/** An expression → the only files that may use it. */
const expressions: Record<string, readonly string[]> = {
  'process.env': [
    ...['packages/server/src/core/config/load.ts', 'packages/sdk/src/session/warn-of-origin.ts'],
    'packages/cli/src/profiles/environment.ts',
  ],
  'Date.now()': [
    'packages/router-double/src/clock.ts',
    'packages/server/src/core/time/clock.ts',
    'packages/sdk/src/lib/clock.ts',
    'packages/cli/src/lib/clock.ts',
  ],
  'new Date()': ['packages/server/src/core/time/clock.ts', 'packages/sdk/src/lib/clock.ts'],
  console: ['packages/sdk/src/session/warn-of-origin.ts'],
};

const MAX_LINES = 400;
const MAX_FUNCTION_LINES = 60;
/** Functions that may be longer: a released migration never changes. */
const mayBeLong = 'packages/server/src/storage/entity-store/migrations/';

const packages = [
  ...['shared-types', 'certificate-path', 'handshake-guard', 'router-messages', 'router-double'],
  ...['server', 'sdk', 'cli'],
];

const isTest = (path: string) => /\.(test|contract)\.ts$/.test(path);
const all = packages
  .flatMap((name) => ['src', 'test'].flatMap((part) => readSources(`packages/${name}/${part}`)))
  .map((source) => ({ ...source, imports: source.imports.filter(({ kind }) => kind === 'value') }));
/** Everything that somebody writes and reads. */
const written = [
  ...all,
  ...['packages/console/src', 'packages/console/test', 'packages/operation-tables/src'].flatMap(readSources),
  ...['scripts', 'bench', 'interop', 'examples'].flatMap(readSources),
];
const product = all.filter(({ path }) => path.includes('/src/') && !isTest(path));
const byPath = new Map(all.map((source) => [source.path, source]));
const serverRoot = 'packages/server/src/';
const server = product.filter(({ path }) => path.startsWith(serverRoot));

describe('packages', () => {
  it.each(Object.entries(confined))('%s is imported only by its own place', (name, places) => {
    const wrong = product
      .filter(({ path }) => !places.some((place) => path.startsWith(place)))
      .filter(({ imports }) => imports.some(({ specifier }) => packageOf(specifier) === name))
      .map(({ path }) => `${path} imports ${name}: only ${places.join(', ')} may`);
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(confined))('%s is imported in each of its places', (name, places) => {
    const users = product.filter(({ imports }) => imports.some(({ specifier }) => packageOf(specifier) === name));
    expect(places.filter((place) => !users.some(({ path }) => path.startsWith(place)))).toEqual([]);
  });

  it('the server never imports the SDK, and the contract imports neither', () => {
    const forbidden: Record<string, readonly string[]> = {
      'packages/server/src/': ['@edge-controller/sdk'],
      'packages/shared-types/src/': ['@edge-controller/server', '@edge-controller/sdk'],
    };
    const wrong = product.flatMap(({ path, imports }) => {
      const names = Object.entries(forbidden).find(([place]) => path.startsWith(place))?.[1] ?? [];
      return imports
        .filter(({ specifier }) => names.includes(packageOf(specifier)))
        .map(({ specifier }) => `${path} imports ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });

  it('a relative import stays in its package', () => {
    const packageFolder = (path: string) => path.split('/').slice(0, 2).join('/');
    const wrong = product.flatMap(({ path, imports }) =>
      imports
        .filter(({ file }) => file !== null && packageFolder(file) !== packageFolder(path))
        .map(({ file }) => `${path} imports ${file}`),
    );
    expect(wrong).toEqual([]);
  });

  it("the SDK's browser entry reaches neither node:* nor zod nor the schemas", () => {
    const wrong = reachable('packages/sdk/src/index.ts').flatMap((path) =>
      (byPath.get(path)?.imports ?? [])
        .map(({ specifier }) => specifier)
        .filter(
          (name) => name.startsWith('node:') || ['zod', '@edge-controller/shared-types'].includes(packageOf(name)),
        )
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  it.each(Object.entries(expressions))('%s is used only in its own place', (expression, places) => {
    const wrong = product
      .filter(({ path }) => !places.includes(path))
      .filter(({ nodes }) => nodes.some((node) => expressionOf(node) === expression));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it(`no file is longer than ${MAX_LINES} lines`, () => {
    const wrong = written.filter(({ lines, isGenerated }) => lines > MAX_LINES && !isGenerated);
    expect(wrong.map(({ path, lines }) => `${path}: ${lines} lines`)).toEqual([]);
  });

  it(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
    const wrong = written
      .filter(({ path }) => !path.startsWith(mayBeLong) && !isTest(path))
      .flatMap(({ path, nodes, linesOf }) =>
        nodes
          .filter((node) => ts.isFunctionLike(node) && linesOf(node).count > MAX_FUNCTION_LINES)
          .map((node) => `${path}:${linesOf(node).at}: ${linesOf(node).count} lines`),
      );
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(ownedTables))('the table %s is named only in its own place', (table, owner) => {
    const places = [owner, mayBeLong];
    const wrong = server
      .filter(({ path }) => !places.some((place) => path.startsWith(place)))
      .filter(({ nodes }) => nodes.some((node) => namesTable(node, table)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('no imports run in a circle', () => {
    const graph = new Map(product.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]));
    expect(circles(graph)).toEqual([]);
  });
});

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function reachable(entry: string): string[] {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { file } of byPath.get(path)?.imports ?? []) if (file !== null) visit(file);
  };
  visit(entry);
  return [...seen];
}

function expressionOf(node: ts.Node): string | null {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) return 'new Date()';
  if (!ts.isPropertyAccessExpression(node)) return null;
  const text = node.getText();
  if (text === 'Date.now') return 'Date.now()';
  if (text === 'process.env') return text;
  return node.expression.getText() === 'console' ? 'console' : null;
}

/** True for `'table'`, `'table as name'`, `'table.column'` and for SQL with `"table"`. Types do not count. */
function namesTable(node: ts.Node, table: string): boolean {
  if (ts.isTemplateLiteralToken(node)) return node.text.includes(`"${table}"`);
  if (!ts.isStringLiteral(node) || ts.isLiteralTypeNode(node.parent)) return false;
  return new RegExp(`^${table}(\\.| |$)`).test(node.text);
}
