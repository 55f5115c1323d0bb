import type { ApiName, Parameter } from '@edge-controller/operation-tables';
import { apiOfNames, loadTable } from '@edge-controller/operation-tables';
import { filter, isEdgeApiError } from '@edge-controller/sdk/node';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { kebabCase } from '../lib/option-name.ts';
import { ownerCondition } from '../lib/owner-condition.ts';
import { printable } from '../lib/printable.ts';
import { shellWord } from '../lib/shell-word.ts';

interface GivenIds {
  readonly api: ApiName;
  /** The command without its arguments: `edge identities get`. */
  readonly command: string;
  readonly params: readonly Parameter[];
  readonly args: readonly string[];
}

/** An error about an id that was not found, with the command that has a name in its place. Other errors stay as they are. */
export async function withNameHint(error: unknown, { api, command, params, args }: GivenIds): Promise<unknown> {
  if (!isEdgeApiError(error, 'NOT_FOUND')) return error;
  const hints: string[] = [];
  const named: string[] = [];
  for (const [at, text] of args.entries()) {
    const to = params[at]?.to;
    const isName = to !== undefined && !text.startsWith('@') && (await apiOfNames(api, to)) !== null;
    named.push(shellWord(isName ? `@${text}` : text));
    if (to !== undefined && !text.startsWith('@') && !isName) hints.push(await searchHint(to, api));
  }
  const isChanged = named.some((text, at) => text !== shellWord(args[at] ?? ''));
  if (isChanged) hints.unshift(`A name begins with @: ${command} ${named.join(' ')}`);
  const lines = hints.filter(Boolean).map((hint) => `\n${hint}`);
  return new CliError(`${printable(error.message)}${lines.join('')}`, exitCodes.notFound, { cause: error });
}

/** The command that finds the ids of a resource without names. Empty: there is none. */
export async function searchHint(to: string, api: ApiName, id?: string): Promise<string> {
  const table = await loadTable(api);
  const owner = id === undefined ? undefined : filter`${printable(id)}`;
  const condition = ownerCondition(table[to]?.verbs.list?.columns ?? [], owner);
  const command = `edge ${api === 'client' ? 'client ' : ''}${kebabCase(to)} list`;
  return condition === null ? '' : `Find the id: ${command} --filter ${shellWord(condition)}`;
}
