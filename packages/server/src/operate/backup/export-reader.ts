import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { StartError } from '../../core/start/start-error.ts';
import { checkChanges } from '../../storage/entity-store/migrations/applied-changes.ts';
import { schemaChanges } from '../../storage/entity-store/migrations/index.ts';
import { RefusedRow } from '../../storage/entity-store/refused-row.ts';
import { StagedDatabase } from '../../storage/entity-store/sqlite/staged-database.ts';
import { faultOf } from './check-row.ts';
import type { Header } from './export-format.ts';
import { headerSchema, rowSchema, trailerSchema } from './export-format.ts';
import { pathError } from './private-files.ts';
import { readLines } from './read-lines.ts';
import { Unusable } from './unusable.ts';

/**
 * Reads a whole export into a new database file, and checks every row.
 *
 * @throws StartError that names the line, when the export is damaged or cut
 * @throws NewerSchema when a newer version of the controller has made it
 */
export async function readExport(path: string, database: string): Promise<Header> {
  const reader = new ExportReader(database);
  try {
    for await (const line of readLines(createReadStream(path))) await reader.take(line);
    return reader.finish();
  } catch (error) {
    const fault = await locate(error, { path, line: reader.lines });
    if (fault === null) throw pathError(path, error);
    const message = `${path} cannot be imported: line ${fault.line}: ${fault.reason}`;
    const fix = 'nothing was changed: use another export';
    throw new StartError([{ message, setting: null, fix, kind: 'wrong' }], { cause: error });
  } finally {
    reader.close();
  }
}

/** What is wrong with the export, and where. `line`: the last one that was read. `null`: something else failed. */
async function locate(
  error: unknown,
  { path, line }: { readonly path: string; readonly line: number },
): Promise<{ readonly line: number; readonly reason: string } | null> {
  if (error instanceof Unusable) return { line, reason: error.message };
  if (!(error instanceof RefusedRow)) return null;
  const { found, reason } = error;
  return { line: found === null ? line : ((await findLine(path, found)) ?? line), reason };
}

/** The line of a row. To remember the lines of all rows would take memory for each of them. */
async function findLine(path: string, found: NonNullable<RefusedRow['found']>): Promise<number | null> {
  let line = 0;
  for await (const text of readLines(createReadStream(path))) {
    line += 1;
    const { data } = rowSchema.safeParse(parse(text));
    if (data?.table === found.table && isDeepStrictEqual({ ...data.row }, { ...found.row })) return line;
  }
  return null;
}

/** Takes the lines of an export, one after the other. */
class ExportReader {
  readonly #database: string;
  readonly #hash = createHash('sha256');
  #header: Header | null = null;
  #staged: StagedDatabase | null = null;
  #isCurrent = false;
  #isOver = false;
  #lines = 0;

  constructor(database: string) {
    this.#database = database;
  }

  /** How many lines there were. */
  get lines(): number {
    return this.#lines;
  }

  async take(line: Buffer): Promise<void> {
    this.#lines += 1;
    const value = parse(line);
    if (this.#isOver) throw new Unusable('there is something behind its end');
    if (!this.#staged) await this.#begin(value);
    else if (isTrailer(value)) this.#end(value);
    else this.#insert(this.#staged, value);
    this.#hash.update(line);
  }

  finish(): Header {
    if (!this.#header || !this.#staged || !this.#isOver) throw new Unusable('its end is missing: it was cut');
    this.#staged.finish();
    return this.#header;
  }

  close(): void {
    this.#staged?.close();
  }

  async #begin(value: unknown): Promise<void> {
    this.#header = valid(headerSchema, value, 'it does not begin as an export that this version can read');
    const { changes } = this.#header;
    this.#isCurrent = changes.length === Object.keys(schemaChanges).length;
    this.#staged = await StagedDatabase.create(this.#database, checkChanges(changes));
  }

  #insert(staged: StagedDatabase, value: unknown): void {
    const { table: name, row } = valid(rowSchema, value, 'it has no row');
    const table = staged.tables.find((known) => known.name === name);
    if (!table) throw new Unusable('there is no such table');
    const fault = faultOf(table, row, this.#isCurrent);
    if (fault !== null) throw new Unusable(`${name}: ${fault}`);
    staged.insert(table, [row]);
  }

  #end(value: unknown): void {
    const { rows, sha256 } = valid(trailerSchema, value, 'the last line is wrong');
    const found = this.#lines - 2;
    if (rows !== found) throw new Unusable(`it has ${found} rows instead of ${rows}`);
    if (sha256 !== this.#hash.copy().digest('hex')) throw new Unusable('the file is not as it was written');
    this.#isOver = true;
  }
}

function isTrailer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'end' in value;
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw new Unusable('it is not JSON');
  }
}

function valid<S extends z.ZodType>(schema: S, value: unknown, otherwise: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Unusable(otherwise);
  return parsed.data;
}
