import { loadTable } from '@edge-controller/operation-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isSignIn } from '../src/commands/operation.ts';
import { commandOf } from './support/command-of.ts';
import type { Done } from './support/edge.ts';
import type { Answer } from './support/hostile-controller.ts';
import { evil, evilRow, session, startHostileController } from './support/hostile-controller.ts';
import { requireSafe } from './support/require-safe.ts';
import { runInProcess } from './support/run-in-process.ts';

let controller: Awaited<ReturnType<typeof startHostileController>>;
beforeAll(async () => {
  controller = await startHostileController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const tables = { management: await loadTable('management'), client: await loadTable('client') };
const operations = (['management', 'client'] as const).flatMap((api) =>
  Object.entries(tables[api]).flatMap(([resource, { verbs }]) =>
    Object.entries(verbs)
      .filter(([verb]) => !isSignIn(resource, verb))
      .map(([verb, operation]) => ({ ...{ api, resource, verb, operation }, name: [api, resource, verb].join(' ') })),
  ),
);

const errors: readonly Answer[] = [
  { status: 404, code: 'NOT_FOUND' },
  { status: 400, code: 'COULD_NOT_VALIDATE' },
  { status: 400, code: 'INVALID_FILTER' },
  { status: 401, code: 'UNAUTHORIZED' },
  { status: 500, code: evil },
];

const tableForms = [[], ['-q'], ['-o', 'csv'], ['-o', 'json']];
/** One operation for each way in which results are shown has all forms. */
const allForms = [...tableForms, ['-o', 'yaml'], ['-q', '--columns', 'id,name'], ['--columns', 'id,name']];
const thorough = ['management identities list', 'management identities get', 'client currentIdentityMfa delete'];

describe('texts of a hostile controller control no terminal', () => {
  it.each(operations)('$name', async ({ name, ...given }) => {
    const { result, columns = [] } = given.operation;
    const command = await commandOf(given);
    const row = evilRow(columns);
    const data = name === 'client currentApiSession get' ? session() : result === 'list' ? [row] : row;
    const isThorough = thorough.includes(name);
    if (result === 'list' || result === 'detail') {
      controller.answer({ data });
      for (const form of isThorough ? allForms : tableForms) {
        const done = await run([...command, ...form]);
        expect(done).toEqual({ code: 0, stdout: expect.stringContaining('red'), stderr: expect.any(String) });
        const read = { json: (text: string) => JSON.parse(text), yaml: (text: string) => parse(text) }[form[1] ?? ''];
        if (read) expect(read(done.stdout)).toEqual(JSON.parse(JSON.stringify(data)));
      }
      await run(command, { isTerminal: true });
    }
    if (result === 'document') {
      controller.answer({ isDocument: true });
      const shown = await run(command, { isTerminal: true, mayHaveLines: true });
      expect(shown).toEqual({ code: 0, stdout: expect.stringContaining('red'), stderr: '' });
    }
    for (const error of isThorough ? errors : errors.slice(0, 1)) {
      controller.answer(error);
      const done = await run(command, { isTerminal: isThorough });
      expect(done.code).not.toBe(0);
      expect(done.stderr).toContain('edge: ');
    }
  });
});

/** `mayHaveLines`: a document, or a cell of CSV in its quotes. */
async function run(
  args: readonly string[],
  { isTerminal = false, mayHaveLines = args.includes('csv') } = {},
): Promise<Done> {
  const done = await runInProcess(args, { folder: controller.folder, isTerminal });
  requireSafe(done, args, { isTerminal, mayHaveLines });
  return done;
}
