import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import ts from 'typescript';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startController } from '../support/controller.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const mistakesFile = join(root, 'packages/shared-types/src/mistakes.ts');
const handlersFile = join(root, 'packages/server/src/handlers.ts');
const callsFile = join(root, 'packages/sdk/src/api/generated/calls.ts');
const generatedTypes = join(root, 'packages/sdk/test/generated-types.test.ts');

const head = `import { z } from 'zod';
import { checkContracts } from './check-contracts.ts';
import { authPolicies } from './entities/auth-policies.ts';
import { authenticators } from './entities/authenticators.ts';
import { cas } from './entities/cas.ts';
import { enrollments } from './entities/enrollments.ts';
import { identities } from './entities/identities.ts';
import { entity } from './entity.ts';
import { group, optional, reference, references, required, roles, semantic, serverSet, uniqueName } from './field.ts';
import { entityOf, belongsToMany, hasMany, selectedWith, selects } from './relation.ts';

const others = { authPolicies, authenticators, cas, enrollments, identities };
const action = { method: 'GET', path: '/', access: 'anyone', result: 'empty', summary: '' } as const;
const door = { noun: 'door', collection: 'doors' } as const;
const ownerId = reference('identities', 'ownerId');
`;

/** What is written in a contract, and what the compiler says. */
const mistakes: readonly (readonly [code: string, message: string])[] = [
  [
    `entity({ ...door, fields: { semantic: required(semantic), r: roles('identities') } })`,
    'Expected 2 arguments, but got 1',
  ],
  [
    `entity({ ...door, fields: { semantic: required(semantic), r: roles('identities', { semantic: 'semantics' }) } })`,
    "the semantic 'semantics' is none of the fields",
  ],
  [
    `entity({ ...door, fields: { name: uniqueName, r: roles('identities', { semantic: 'name' }) } })`,
    "the semantic 'name' is a field without AllOf and AnyOf",
  ],
  [
    `entity({ ...door, fields: { name: { ...required(z.string()), unique: { with: 'owner' } }, ownerId } })`,
    "unique with 'owner', which is none of the fields",
  ],
  [
    `entity({ ...door, fields: { owner: reference('identities') } })`,
    "the reference 'owner' has a name that does not end with Id",
  ],
  [
    `entity({ ...door, fields: { size: { ...required(z.number()), create: 'optional' } } })`,
    "'size' needs a default: it is shown always, and not always sent",
  ],
  [`optional(z.number().int())`, 'Expected at least 2 arguments, but got 1'],
  [`optional(z.number().int(), '0')`, "Argument of type 'string' is not assignable to parameter of type 'number'"],
  [
    `serverSet(z.boolean(), 'always', null)`,
    "Argument of type 'null' is not assignable to parameter of type 'boolean'",
  ],
  [`group(z.object({ a: z.object({ on: z.boolean() }) }), 'rules.a.onn')`, '"rules.a.onn"\' is not assignable'],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { ownerId: reference('identitiez') } }) })`,
    "'identitiez' is no entity",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { s: required(semantic), r: roles('cas', { semantic: 's' }) } }) })`,
    "roles cannot select 'cas', which have no attributes",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { users: references('identities') }, relations: { 'the-users': belongsToMany('users') }, actions: { theUsers: action } }) })`,
    "a relation and an action have the name 'theUsers'",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { ownerId: reference('identities', 'owner.nam') } }) })`,
    "the filter symbol 'owner.nam' names no field of 'identities'",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { ownerId }, relations: { x: entityOf('owner') } }) })`,
    "'owner' is no field of 'doors'",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { ownerId }, relations: { x: selects('ownerId') } }) })`,
    "'ownerId' of 'doors' is of another kind",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { ownerId }, relations: { x: hasMany('doors', 'ownerId') } }) })`,
    "'ownerId' of 'doors' leads to 'identities', not to this entity",
  ],
  [
    `checkContracts({ ...others, doors: entity({ ...door, fields: { ownerId }, relations: { x: selectedWith('p', 'a', 'b') } }) })`,
    "'p' is no entity",
  ],
];

const changed = new Map([
  [mistakesFile, head + mistakes.map(([code], at) => `export const mistake${at} = ${code};\n`).join('')],
  [
    handlersFile,
    readFileSync(handlersFile, 'utf8')
      .replace('      apiSessions,\n', '')
      .replace(/ {4}enrollments: .*\n/, ''),
  ],
  [callsFile, readFileSync(callsFile, 'utf8').replace(/^ {2}refresh\(.*\n/m, '')],
]);

/** File → the messages of the compiler by the line. */
const messages = new Map<string, Map<number, string>>();

beforeAll(() => {
  const config = ts.readConfigFile(join(root, 'packages/server/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, join(root, 'packages/server'));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => changed.get(name) ?? readFile(name);
  host.fileExists = (name) => changed.has(name) || fileExists(name);
  const files = [mistakesFile, handlersFile, generatedTypes];
  const program = ts.createProgram(files, { ...options, noEmit: true }, host);
  for (const name of files) {
    const found = program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .map(({ file, start = 0, messageText }) => {
        const { line } = file!.getLineAndCharacterOfPosition(start);
        return [line, ts.flattenDiagnosticMessageText(messageText, '\n')] as const;
      });
    messages.set(name, new Map(found));
  }
});

describe('the compiler says what is wrong in a contract', () => {
  const first = head.split('\n').length - 1;

  it.each(mistakes.map(([code, message], at) => ({ code, message, at })))('$message', ({ message, at }) => {
    expect(messages.get(mistakesFile)?.get(first + at)).toContain(message);
  });

  it('and says nothing else', () => {
    expect(messages.get(mistakesFile)?.size).toBe(mistakes.length);
  });
});

it('the compiler names a missing resource, and the missing handlers of an entity', () => {
  const found = [...(messages.get(handlersFile)?.values() ?? [])].join('\n');
  expect(found).toContain("Property 'apiSessions' is missing");
  expect(found).toContain("Property 'enrollments' is missing");
});

it('the compiler says when the types of the SDK must be generated', () => {
  const found = [...(messages.get(generatedTypes)?.values() ?? [])].join('\n');
  expect(found).toContain('enrollments.refresh differs from its schemas: run `npm run generate`');
});

it('a controller does not start without a table, a column or an index, and says where they are written', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-controller-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const first = await startController({ dataDir });
  await first.controller.close();
  const db = new Database(join(dataDir, 'entities.db'));
  db.exec(
    'drop table "identities_roleAttributes"; alter table "cas" drop column "identityRoles"; drop index "cas_name_unique"',
  );
  db.close();
  const message = await startController({ dataDir }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(message).toContain('The database does not have the table identities_roleAttributes');
  expect(message).toContain('The database does not have cas.identityRoles: text');
  expect(message).toContain('The database does not have cas.unique name');
  expect(message).toContain('add it in a migration (server/src/entity-store/migrations) and run `npm run generate`');
});
