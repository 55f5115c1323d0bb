import type { ApiName, Field, Row } from '@edge-controller/operation-tables';
import { apiOfNames, isRow, valueAt, withValueAt } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { filter } from '@edge-controller/sdk/node';
import type { AnyCall } from '../api/call-operation.ts';
import { callOf } from '../api/call-operation.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { kebabCase, optionOf } from '../lib/option-name.ts';
import { shellWord } from '../lib/shell-word.ts';
import { searchHint } from './name-hints.ts';

/** Finds the ids of entities by their names. It asks the controller once for each name. */
export class References {
  readonly #edge: NodeEdgeClient;
  readonly #api: ApiName;
  readonly #ids = new Map<string, Promise<string>>();

  constructor(edge: NodeEdgeClient, api: ApiName = 'management') {
    this.#edge = edge;
    this.#api = api;
  }

  /** The id that `@name` stands for. Any other text is an id. `what`: the argument or option, for the error. */
  async idOf(text: string, to: string | undefined, what: string): Promise<string> {
    if (!text.startsWith('@')) return text;
    if (to === undefined) throw usageError(`${what}: a name cannot stand here, give the id`);
    const key = `${to} ${text}`;
    const id = this.#ids.get(key) ?? this.#find(text.slice(1), to, what);
    this.#ids.set(key, id);
    return id;
  }

  /** A role with the id in place of the name: `@sensor-1`. `#attribute` and `#all` stay. */
  async roleOf(role: string, to: string, what: string): Promise<string> {
    return role.startsWith('@') ? `@${await this.idOf(role, to, what)}` : role;
  }

  /** A body with ids in place of names, at every member that refers to entities. */
  async resolveBody(body: Row, fields: readonly Field[]): Promise<Row> {
    let resolved = body;
    for (const field of fields) {
      const { name, to } = field;
      const value = to === undefined ? undefined : valueAt(body, name);
      if (to === undefined || value === undefined || value === null) continue;
      resolved = withValueAt(resolved, name, await this.#resolve(value, field, to));
    }
    return resolved;
  }

  async #resolve(value: unknown, { name, set }: Field, to: string): Promise<unknown> {
    const what = optionOf(name);
    const one = async (text: unknown) => {
      if (typeof text !== 'string') return text;
      return set === 'roles' ? this.roleOf(text, to, what) : this.idOf(text, to, what);
    };
    return Array.isArray(value) ? Promise.all(value.map(one)) : one(value);
  }

  async #find(name: string, to: string, what: string): Promise<string> {
    const api = await apiOfNames(this.#api, to);
    if (api === null) throw await this.#noNames(name, to, what);
    const list = callOf(this.#edge, api, to, 'list');
    // A role may have the id, as on the wire.
    const found = rowsOf(await list({ filter: filter`name = ${name} or id = ${name}`, limit: 2 }));
    const row = found.find((one) => one.name === name) ?? found[0];
    if (typeof row?.id === 'string') return row.id;
    throw new CliError(
      `${what} @${name}: there is no such entity in ${kebabCase(to)}${await this.#similar(list, name)}`,
      exitCodes.notFound,
    );
  }

  /** `@Bob` where there are no names is what belongs to Bob. */
  async #noNames(name: string, to: string, what: string): Promise<CliError> {
    const identity = await this.#find(name, 'identities', what).catch(() => undefined);
    const hint = await searchHint(to, this.#api, identity);
    return usageError(`${what}: ${kebabCase(to)} have no names, give the id${hint && `\n${hint}`}`);
  }

  /** Names that a person could have meant. */
  async #similar(list: AnyCall, name: string): Promise<string> {
    const part = name.slice(0, Math.max(3, Math.ceil(name.length / 2)));
    const rows = rowsOf(await list({ filter: filter`name icontains ${part}`, limit: 3 }).catch(() => ({ data: [] })));
    const names = rows.map((row) => shellWord(`@${row.name}`));
    return names.length === 0 ? '' : `\nDid you mean ${names.join(' or ')}?`;
  }
}

function rowsOf(page: unknown): Row[] {
  const data = isRow(page) ? page.data : [];
  return Array.isArray(data) ? data.filter(isRow) : [];
}
