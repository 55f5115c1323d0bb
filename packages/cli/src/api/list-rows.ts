import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { ListMeta, NodeEdgeClient } from '@edge-controller/sdk/node';
import { isEdgeApiError } from '@edge-controller/sdk/node';
import { CliError, usageError } from '../errors/cli-error.ts';
import { printable } from '../lib/printable.ts';

const defaultRows = 100;
/** The largest page of the controller. */
const pageSize = 500;

const literals = 'Texts stand in double quotes: name = "Bob"; times: datetime(2026-12-01T00:00:00Z)';

interface Listed {
  readonly rows: readonly unknown[];
  /** Rows of the whole list. */
  readonly total: number;
}

/** Hears of each page of a list that has more than one: its rows, and the rows of the whole list. */
export type OnPage = (rows: number, total: number) => void;

/** Reads as many rows of a list as `--limit` says. A filter or sort that the controller does not know is an error with the symbols. */
export async function listRows(
  edge: NodeEdgeClient,
  list: (query: Row) => Promise<unknown>,
  options: Readonly<Record<string, unknown>>,
  onPage?: OnPage,
): Promise<Listed> {
  try {
    return await readRows(edge, list, options, onPage);
  } catch (error) {
    if (!isEdgeApiError(error, 'INVALID_FILTER') && !isEdgeApiError(error, 'INVALID_SORT_IDENTIFIER')) throw error;
    const isUnreadable = error.code === 'INVALID_FILTER' && !error.message.includes('unknown symbol');
    const message = printable(error.message);
    if (isUnreadable) throw new CliError(`${message}\n${literals}`, undefined, { cause: error });
    const page = await list({ limit: 1 }).catch(() => null);
    const meta = isRow(page) && isRow(page.meta) ? page.meta : {};
    const symbols = Array.isArray(meta.filterableFields) ? meta.filterableFields.join(', ') : '';
    throw symbols === ''
      ? error
      : new CliError(`${message}\nSymbols: ${printable(symbols)}`, undefined, { cause: error });
  }
}

/** Page by page when there are more than a page has. */
async function readRows(
  edge: NodeEdgeClient,
  list: (query: Row) => Promise<unknown>,
  options: Readonly<Record<string, unknown>>,
  onPage?: OnPage,
): Promise<Listed> {
  const { filter, sort } = options;
  const query = { ...(filter !== undefined && { filter }), ...(sort !== undefined && { sort }) };
  const limit = rowsOf(options.limit, '--limit') ?? defaultRows;
  const offset = rowsOf(options.offset, '--offset') ?? 0;
  if (limit <= pageSize) return readPage(await list({ ...query, limit, ...(offset > 0 && { offset }) }));
  const rows: unknown[] = [];
  let total = 0;
  const page = async (position?: object) => {
    const answer = await list({ ...query, ...position });
    const { rows: data, total: all } = readPage(answer);
    total = all;
    onPage?.(data.length, Math.min(all, limit));
    const meta: ListMeta = isRow(answer) && isRow(answer.meta) ? answer.meta : {};
    return { data: [...data], meta };
  };
  for await (const row of edge.pages(page, { limit: pageSize, offset })) {
    rows.push(row);
    if (rows.length === limit) break;
  }
  return { rows, total: limit === Number.POSITIVE_INFINITY ? rows.length : total };
}

function readPage(page: unknown): Listed {
  if (Array.isArray(page)) return { rows: page, total: page.length };
  const { data, meta } = isRow(page) ? page : { data: [], meta: undefined };
  const rows = Array.isArray(data) ? data : [];
  const pagination = isRow(meta) && isRow(meta.pagination) ? meta.pagination : {};
  return { rows, total: typeof pagination.totalCount === 'number' ? pagination.totalCount : rows.length };
}

function rowsOf(given: unknown, option: string): number | undefined {
  if (given === undefined) return undefined;
  if (given === 'all' && option === '--limit') return Number.POSITIVE_INFINITY;
  if (typeof given === 'string' && /^\d{1,9}$/.test(given) && (option === '--offset' || given !== '0'))
    return Number(given);
  throw usageError(
    `${option} ${JSON.stringify(given)}: must be a number of rows${option === '--limit' ? ', or all' : ''}`,
  );
}
