import { writeFile } from 'node:fs/promises';
import type { Row } from '@edge-controller/operation-tables';
import { isRow, loadBody } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { isEdgeApiError } from '@edge-controller/sdk/node';
import { callOf } from '../api/call-operation.ts';
import type { OnPage } from '../api/list-rows.ts';
import { listRows } from '../api/list-rows.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { explainError } from '../errors/explain-error.ts';
import { withNameHint } from '../input/name-hints.ts';
import { readBody, readMembers } from '../input/read-body.ts';
import { References } from '../input/references.ts';
import { printable } from '../lib/printable.ts';
import { jsonOf } from '../output/json-of.ts';
import type { Format } from '../output/print-result.ts';
import { printDetail, printRows, requireColumns } from '../output/print-result.ts';
import type { Progress } from '../output/progress.ts';
import { startProgress } from '../output/progress.ts';
import { isWatched, note, printDocument } from '../output/terminal.ts';
import { openClient } from '../profiles/open-client.ts';
import { expandIds } from './field-options.ts';
import type { GivenToOperation, OperationCommand } from './operation.ts';
import { commandLineOf, takesManyIds } from './operation.ts';

/** Sends the request of a command and shows the response. */
export async function runOperation(command: OperationCommand, given: GivenToOperation): Promise<void> {
  const { profile } = given.options;
  // All that can be wrong with the command line is said before anything is sent.
  const query = await readMembers(command.operation.query ?? [], given.query);
  const headers = await readMembers(command.operation.headers ?? [], given.headers);
  const hasBody = command.operation.body !== undefined;
  const body = hasBody ? await readBody(command.operation, command.fields, given.body) : undefined;
  const edge = await openClient(typeof profile === 'string' ? profile : undefined);
  try {
    const references = new References(edge, command.api);
    if (takesManyIds(command.operation)) return await runForEach(edge, command, references, given.args);
    const params = await pathOf(command, references, given.args);
    const args = [
      ...params,
      ...(command.operation.query ? [query] : []),
      ...(command.operation.headers ? [headers] : []),
      ...(hasBody ? [await resolved(body, command, references)] : []),
    ];
    await show(edge, command, { args, options: given.options });
  } catch (error) {
    throw await withNameHint(refused(error, edge, command), {
      ...{ api: command.api, command: commandLineOf(command), args: given.args },
      params: command.operation.params ?? [],
    });
  } finally {
    edge.dispose();
  }
}

/** The controller says the same of a session that has ended and of a missing permission. The client knows which it was. */
function refused(error: unknown, { session }: NodeEdgeClient, { operation }: OperationCommand): unknown {
  if (!isEdgeApiError(error, 'UNAUTHORIZED') || session?.state !== 'full') return error;
  const { permission } = operation;
  const needed = permission === undefined ? '' : `; it needs the permission ${permission}, or an administrator`;
  return new CliError(
    `${printable(session.identity.name)} may not do this${needed} (${printable(error.code)})`,
    undefined,
    {
      cause: error,
    },
  );
}

async function pathOf(
  { operation: { params = [] } }: OperationCommand,
  references: References,
  args: readonly string[],
) {
  return Promise.all(params.map(({ name, to }, at) => references.idOf(args[at] ?? '', to, `<${name}>`)));
}

async function resolved(body: unknown, { fields }: OperationCommand, references: References): Promise<unknown> {
  if (Array.isArray(body))
    return Promise.all(body.map((one) => (isRow(one) ? references.resolveBody(one, fields) : one)));
  return isRow(body) ? references.resolveBody(body, fields) : body;
}

/** Runs an operation for each id. It goes on after a failure, and says at the end which have failed. */
async function runForEach(
  edge: NodeEdgeClient,
  { api, resource, verb, operation }: OperationCommand,
  references: References,
  given: readonly string[],
): Promise<void> {
  const ids = await expandIds(given);
  const call = callOf(edge, api, resource, verb);
  const [param] = operation.params ?? [];
  const resolveId = (id: string) => references.idOf(id, param?.to, `<${param?.name}>`);
  if (ids.length === 1) {
    await call(await resolveId(ids[0] ?? ''));
    return logDone(verb, 1);
  }
  const progress = startProgress(verb, ids.length);
  const failures: string[] = [];
  for (const id of ids) {
    try {
      await call(await resolveId(id));
    } catch (error) {
      failures.push(`${printable(id)}: ${explainError(error, 'edge login').message}`);
    }
    progress.tick();
  }
  progress.stop();
  if (failures.length > 0) throw new CliError(`${failures.length} of ${ids.length} failed\n${failures.join('\n')}`);
  logDone(verb, ids.length);
}

/** Whoever sits at the terminal sees that something happened: there is no result to show. */
function logDone(verb: string, count: number): void {
  if (isWatched()) note(`${count} ${verb === 'delete' ? 'deleted' : 'done'}`);
}

interface Call {
  readonly args: readonly unknown[];
  readonly options: GivenToOperation['options'];
}

async function show(edge: NodeEdgeClient, command: OperationCommand, { args, options }: Call): Promise<void> {
  const { api, resource, verb, operation } = command;
  const call = callOf(edge, api, resource, verb);
  const output = options as { output?: Format; columns?: string; quiet?: boolean };
  if (operation.result === 'list') {
    const { params = [], columns = [] } = operation;
    const path = args.slice(0, params.length);
    const query = operation.query ? (args[params.length] as Row) : undefined;
    let progress: Progress | undefined;
    const onPage: OnPage = (read, all) => {
      progress ??= startProgress('list', all);
      progress.tick(read);
    };
    const list = (page: Row) => call(...path, ...(query ? [{ ...query, ...page }] : []));
    const { rows, total } = await listRows(edge, list, options, onPage).finally(() => progress?.stop());
    requireColumns(rows, await membersOf(command), output);
    await printRows(rows.map(namedRow), columns.length > 0 ? columns : ['name'], output);
    const isForProgram = output.quiet || (output.output ?? 'table') !== 'table';
    if (rows.length === 0 && !isForProgram) note(`no rows${idHint(options.filter, columns)}`);
    if (total > rows.length && options.offset === undefined)
      note(`${rows.length} of ${total} rows; --limit all shows all`);
    return;
  }
  const result = await call(...args);
  if (operation.result === 'document') return showDocument(result, options.out);
  if (operation.result === 'empty') return;
  // A change is done already: its result is shown as far as it goes.
  if (operation.method === 'GET') requireColumns([result], await membersOf(command), output);
  await printDetail(result, output);
}

/** A filter compares ids: it knows no names. */
function idHint(filter: unknown, columns: readonly string[]): string {
  if (typeof filter !== 'string') return '';
  const isOfId = (symbol: string) => /(?:Id|^id)$/.test(symbol) || columns.includes(`${symbol}.name`);
  const compared = [...filter.matchAll(/(\w+)\s*=\s*"/g)].map(([, symbol = '']) => symbol).find(isOfId);
  return compared === undefined ? '' : `; a filter compares ${compared} with an id, and knows no names`;
}

/** Members that an object of the resource may have. Those that it lacks are in none of the rows, either. */
async function membersOf({ operation, entry }: OperationCommand): Promise<readonly string[]> {
  const { create } = entry.verbs;
  const fields = create === undefined ? [] : await loadBody(create);
  return [...(operation.columns ?? []), ...fields.map(({ name }) => name)];
}

/** Some lists have texts instead of objects. */
function namedRow(row: unknown): Row {
  return isRow(row) ? row : { name: row };
}

async function showDocument(document: unknown, out: unknown): Promise<void> {
  const bytes = await bytesOf(document);
  if (typeof out === 'string') return writeFile(out, bytes);
  if (!printDocument(bytes)) throw usageError('the document is binary: name a file with --out');
}

async function bytesOf(document: unknown): Promise<Uint8Array> {
  if (document instanceof Blob) return new Uint8Array(await document.arrayBuffer());
  if (document instanceof ArrayBuffer) return new Uint8Array(document);
  if (document instanceof Uint8Array) return document;
  return Buffer.from(typeof document === 'string' ? document : `${jsonOf(document, 2)}\n`);
}
