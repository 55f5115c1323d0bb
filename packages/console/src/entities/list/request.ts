import type { ListSearch } from './search.ts';
import { defaultPageSize } from './search.ts';

/** The parameters of a list request. */
export interface ListRequest {
  readonly limit: number;
  readonly offset: number;
  readonly filter?: string;
  readonly sort?: string;
}

/** The request for the page that the address names. `quickSymbol` is the symbol that the quick search compares. */
export function requestOf(search: ListSearch, quickSymbol: string | null): ListRequest {
  const { page = 1, limit = defaultPageSize, sort } = search;
  const filter = filterOf(search, quickSymbol);
  return { limit, offset: (page - 1) * limit, ...(filter !== '' && { filter }), ...(sort !== undefined && { sort }) };
}

/** The filter and the quick search as one condition. */
export function filterOf({ q = '', filter = '' }: ListSearch, quickSymbol: string | null): string {
  if (q === '' || quickSymbol === null) return filter;
  const quick = `${quickSymbol} icontains ${JSON.stringify(q)}`;
  return filter === '' ? quick : `(${filter}) and ${quick}`;
}

/** The symbol that the quick search compares: the name, what is called a name, or the first symbol that is a text of the row. */
export function quickSymbolOf(symbols: readonly string[], row: Readonly<Record<string, unknown>> = {}): string | null {
  const names = symbols.find((symbol) => symbol === 'name') ?? symbols.find((symbol) => /name$/i.test(symbol));
  const texts = symbols.filter((symbol) => symbol !== 'id' && isText(row[symbol]));
  return names ?? texts[0] ?? symbols.find((symbol) => symbol === 'id') ?? null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && !isTime(value);
}

/** Whether a value is a time of the wire. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
}
