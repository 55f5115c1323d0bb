import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTable } from '@edge-controller/operation-tables';
import { describe, expect, it } from 'vitest';
import { consoleOperations, isSignIn } from '../src/api/console-operations.ts';
import { operationsOfTrees, trees } from './support/trees.ts';

const source = join(import.meta.dirname, '../src');

/** The table of panels, each for the entity that it names. */
const panels = 'entities/detail/panels.ts';

/** The code of a folder or of the files that begin so. */
function codeOf(start: string): string {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith(start) && name !== panels && /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(source, name), 'utf8'))
    .join('\n');
}

describe('every operation of both trees', () => {
  it('is an operation of the console', async () => {
    const tables = { client: await loadTable('client'), management: await loadTable('management') };
    const ofConsole = consoleOperations(tables).map(({ api, resource, verb }) => `${api}.${resource}.${verb}`);
    expect(ofConsole.toSorted()).toEqual(operationsOfTrees.toSorted());
  });

  it('but the sign-in runs there, which is a page of its own', async () => {
    const tables = { client: await loadTable('client'), management: await loadTable('management') };
    const signIns = consoleOperations(tables).filter(isSignIn);
    expect(signIns.map(({ api, verb }) => `${api} ${verb}`)).toEqual([
      'management authenticate',
      'client authenticate',
    ]);
  });

  it.each([
    'entities/detail/',
    'entities/form/',
    'entities/list/',
    'operations/',
    'api/console-operations',
    'api/names',
  ])('needs no name of an entity in %s', (start) => {
    const code = codeOf(start).replaceAll(/^import [^\n]*$|\/\*\*.*?\*\/|\/\/[^\n]*$/gms, '');
    expect(code).not.toBe('');
    const entities = Object.entries(trees.management).filter(([, verbs]) => verbs.get && verbs.list);
    const named = entities.filter(([resource]) => new RegExp(`['"\`.]${resource}\\b`).test(code));
    expect(named.map(([resource]) => resource)).toEqual([]);
  });
});
