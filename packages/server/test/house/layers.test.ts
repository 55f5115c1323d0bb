import { describe, expect, it } from 'vitest';
import { circles, readSources } from '../support/sources.ts';

/**
 * Folder (or file) of `src` → what it may import, types included. A folder stands above all that it imports. `everything`: a
 * composition root.
 */
const layers: Record<string, readonly string[] | 'everything'> = {
  'api-error': [],
  lib: [],
  events: [],
  openapi: [],
  metrics: ['lib', 'events'],
  traces: ['lib'],
  health: ['lib'],
  'json-schemas': ['lib', 'api-error'],
  call: ['lib'],
  config: ['lib'],
  pki: ['lib', 'api-error'],
  database: ['lib', 'api-error'],
  handshakes: ['pki'],
  jwt: ['lib', 'pki'],
  'entity-store': ['lib', 'api-error', 'database'],
  'session-store': ['lib', 'database'],
  'attempt-limits': ['database'],
  'audit-log': ['lib', 'events', 'call', 'pki', 'database', 'entity-store'],
  info: ['api-error', 'openapi', 'call'],
  posture: ['lib', 'entity-store', 'session-store'],
  peers: ['lib', 'database'],
  'router-messages': [],
  'router-connections': ['peers', 'circuits', 'router-messages'],
  routers: [
    ...[
      'lib',
      'api-error',
      'pki',
      'database',
      'entity-store',
      'session-store',
      'handshakes',
      'revocation',
      'certificates',
    ],
    ...['crud', 'service-access', 'sessions', 'service-sessions', 'http', 'enrollment', 'peers', 'circuits'],
    ...['router-messages', 'router-connections', 'config', 'rights'],
  ],
  'router-double': ['lib', 'pki', 'router-messages'],
  circuits: ['lib'],
  jwks: ['lib', 'config', 'handshakes'],
  revocation: ['lib', 'database', 'entity-store', 'session-store'],
  'sign-in-rules': ['lib', 'api-error', 'database', 'entity-store'],
  rights: ['api-error', 'database', 'entity-store', 'sign-in-rules'],
  mfas: ['lib', 'api-error', 'config', 'database', 'entity-store', 'sign-in-rules'],
  'enrollment-tokens': ['lib', 'pki', 'database', 'entity-store'],
  certificates: ['lib', 'api-error', 'call', 'pki', 'database', 'entity-store', 'session-store'],
  crud: ['lib', 'api-error', 'events', 'call', 'database', 'entity-store', 'audit-log', 'revocation'],
  'service-access': [
    ...['lib', 'api-error', 'database', 'entity-store', 'session-store', 'revocation', 'posture', 'crud'],
  ],
  'external-jwt': [
    ...['lib', 'config', 'events', 'jwt', 'jwks', 'entity-store', 'audit-log', 'revocation', 'sign-in-rules'],
  ],
  passwords: ['lib', 'api-error', 'config', 'entity-store', 'sign-in-rules', 'crud'],
  sessions: [
    ...['lib', 'api-error', 'events', 'call', 'config', 'pki', 'database', 'entity-store', 'session-store'],
    ...['audit-log', 'revocation', 'rights', 'sign-in-rules', 'mfas', 'certificates', 'crud', 'external-jwt'],
  ],
  fabric: ['lib', 'api-error', 'call', 'database', 'entity-store', 'crud', 'router-connections', 'circuits'],
  entities: [
    ...['lib', 'api-error', 'call', 'config', 'pki', 'database', 'jwt', 'jwks', 'entity-store', 'session-store'],
    ...[
      'revocation',
      'rights',
      'sign-in-rules',
      'mfas',
      'enrollment-tokens',
      'certificates',
      'crud',
      'external-jwt',
      'passwords',
      'json-schemas',
      'posture',
      'service-access',
      'circuits',
      'router-connections',
    ],
  ],
  'service-sessions': [
    ...['lib', 'api-error', 'events', 'call', 'config', 'pki', 'session-store', 'audit-log', 'revocation', 'rights'],
    ...['crud', 'posture', 'service-access', 'sessions', 'peers', 'router-connections'],
  ],
  http: [
    ...[
      'lib',
      'api-error',
      'openapi',
      'call',
      'config',
      'pki',
      'events',
      'handshakes',
      'attempt-limits',
      'sessions',
      'metrics',
      'traces',
    ],
  ],
  authentication: [
    ...['lib', 'api-error', 'call', 'config', 'pki', 'database', 'entity-store', 'session-store', 'revocation'],
    ...['sign-in-rules', 'mfas', 'certificates', 'crud', 'external-jwt', 'passwords', 'sessions', 'entities'],
    ...['posture', 'service-access', 'service-sessions', 'events', 'rights'],
  ],
  enrollment: [
    ...['lib', 'api-error', 'call', 'pki', 'database', 'jwt', 'entity-store', 'session-store', 'sign-in-rules'],
    ...['enrollment-tokens', 'certificates', 'crud', 'external-jwt', 'passwords', 'sessions', 'entities'],
  ],
  'default-admin': ['lib', 'config', 'sign-in-rules', 'mfas', 'crud', 'passwords'],
  'tls-self-test': ['lib', 'handshakes', 'http'],
  'controller-pki': ['lib', 'config', 'pki'],
  'watched-stores': ['lib', 'entity-store', 'session-store', 'attempt-limits', 'peers'],
  'open-stores': ['lib', 'database', 'entity-store', 'session-store', 'attempt-limits', 'peers', 'watched-stores'],
  'open-telemetry': ['lib', 'events', 'config', 'info', 'metrics', 'traces'],
  'open-operations': [
    ...['lib', 'pki', 'info', 'entity-store', 'metrics', 'health', 'mfas', 'crud', 'open-telemetry', 'services'],
  ],
  services: [
    ...['lib', 'events', 'call', 'config', 'pki', 'entity-store', 'session-store', 'audit-log', 'revocation'],
    'certificates',
    'passwords',
    ...[
      'crud',
      'external-jwt',
      'sessions',
      'json-schemas',
      'service-access',
      'service-sessions',
      'peers',
      'router-connections',
    ],
  ],
  backup: [
    ...[
      'lib',
      'config',
      'pki',
      'database',
      'entity-store',
      'audit-log',
      'revocation',
      'crud',
      'entities',
      'open-stores',
    ],
  ],
  doctor: [
    'lib',
    'config',
    'pki',
    'database',
    'entity-store',
    'session-store',
    'sign-in-rules',
    'mfas',
    'passwords',
    'backup',
  ],
  'schema-status': ['lib', 'config', 'database', 'entity-store', 'open-stores'],
  'maintenance-commands': [
    ...['lib', 'config', 'info', 'entity-store', 'audit-log', 'backup', 'doctor', 'schema-status', 'audit-commands'],
  ],
  'start-upkeep': ['lib', 'audit-log', 'info', 'passwords', 'services'],
  handlers: [
    'audit-log',
    'info',
    'crud',
    'fabric',
    'sessions',
    'entities',
    'service-sessions',
    'authentication',
    'enrollment',
    'services',
  ],
  lifetime: ['http', 'routers', 'open-operations'],
  'create-services': 'everything',
  'controller-options': ['lib', 'config'],
  'create-logger': ['config'],
  'create-app': 'everything',
  controller: 'everything',
  'audit-commands': ['lib', 'audit-log', 'config', 'controller-pki', 'entity-store', 'open-stores', 'schema-status'],
  main: ['lib', 'config', 'info', 'create-logger', 'controller', 'maintenance-commands'],
  bin: ['main'],
  index: 'everything',
};
const MAX_FLOORS = 13;

const strategyFolders = ['authentication/methods', 'authentication/queries', 'enrollment/methods'];
/** What the entities share. */
const ofAllEntities = ['check-configs', 'index', 'services'];

const serverRoot = 'packages/server/src/';
const files = new Map(
  readSources(serverRoot)
    .filter(({ path }) => !/\.(test|contract)\.ts$/.test(path))
    .map(({ path, imports }) => [path.slice(serverRoot.length), imports.flatMap(({ file }) => inside(file))]),
);
const folders = new Map(Object.keys(layers).map((folder) => [folder, importsOfFolder(folder)]));

describe('layers of the server, types included', () => {
  it.each(Object.keys(layers))('%s imports only the folders below it', (folder) => {
    const allowed = layers[folder]!;
    const wrong = importsBetween(folder)
      .filter(([, to]) => allowed !== 'everything' && !allowed.includes(folderOf(to)))
      .map(([from, to]) => `${from} imports ${to}: ${folder} may import ${JSON.stringify(allowed)}`);
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(layers))('%s imports each folder that it may import', (folder) => {
    const allowed = layers[folder]!;
    expect(allowed === 'everything' ? [] : allowed.filter((name) => !folders.get(folder)!.includes(name))).toEqual([]);
  });

  it('every file belongs to a layer', () => {
    expect([...files.keys()].filter((path) => !(folderOf(path) in layers))).toEqual([]);
  });

  it('no imports run in a circle between folders', () => {
    expect(circles(folders)).toEqual([]);
  });

  it('no imports run in a circle between files', () => {
    expect(circles(files)).toEqual([]);
  });

  it(`there are at most ${MAX_FLOORS} floors`, () => {
    const tooHigh = [...folders.keys()].filter((folder) => floorOf(folder) > MAX_FLOORS);
    expect(tooHigh.map((folder) => `${folder} stands on floor ${floorOf(folder)}`)).toEqual([]);
  });

  it('an entity never imports a sibling entity', () => {
    expect(importsBetweenParts('entities', ofAllEntities)).toEqual([]);
  });

  it.each(strategyFolders)('a strategy of %s never imports a strategy', (folder) => {
    const parts = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
    expect(parts).not.toEqual([]);
    expect(importsBetweenParts(folder, ['index'])).toEqual([]);
  });
});

function folderOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '');
}

/** The file, if it is one of the server. */
function inside(file: string | null): string[] {
  return file?.startsWith(serverRoot) ? [file.slice(serverRoot.length)] : [];
}

/** The imports of a folder that leave it: from, to. */
function importsBetween(folder: string): [from: string, to: string][] {
  return [...files]
    .filter(([path]) => folderOf(path) === folder)
    .flatMap(([path, imports]) => imports.map((to): [string, string] => [path, to]))
    .filter(([, to]) => folderOf(to) !== folder);
}

function importsOfFolder(folder: string): string[] {
  return [...new Set(importsBetween(folder).map(([, to]) => folderOf(to)))];
}

/** The imports between parts of a folder. A part is a file or a folder in it; all parts may import those that are `shared`. */
function importsBetweenParts(folder: string, shared: readonly string[]): string[] {
  const partOf = (path: string) => (path.startsWith(`${folder}/`) ? folderOf(path.slice(folder.length + 1)) : null);
  return [...files].flatMap(([path, imports]) => {
    const from = partOf(path);
    if (from === null || shared.includes(from)) return [];
    return imports
      .filter((file) => ![null, from, ...shared].includes(partOf(file)))
      .map((file) => `${path} imports ${file}`);
  });
}

function floorOf(folder: string, above: readonly string[] = []): number {
  // A circle has a test of its own.
  if (above.includes(folder)) return 0;
  return 1 + Math.max(0, ...(folders.get(folder) ?? []).map((name) => floorOf(name, [...above, folder])));
}
