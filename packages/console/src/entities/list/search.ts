/** What the address says about a list: `?q=sensor&filter=isAdmin%3Dtrue&sort=name desc&page=3&limit=100`. */
export interface ListSearch {
  /** Text that the rows have in their name. */
  readonly q?: string;
  /** A condition of the query language. */
  readonly filter?: string;
  /** A symbol with `asc` or `desc`. */
  readonly sort?: string;
  /** The first page is 1. */
  readonly page?: number;
  /** Rows of a page: one of `pageSizes`. */
  readonly limit?: number;
}

export const pageSizes: readonly number[] = [25, 50, 100];
export const defaultPageSize = 50;

/** Characters of a text in the address. */
const maxLength = 2_000;
const maxPage = 1_000_000;

/** Reads the address. What it cannot mean is left out. */
export function readListSearch(given: Readonly<Record<string, unknown>>): ListSearch {
  const page = Number(given.page);
  const limit = Number(given.limit);
  return {
    ...textMember('q', given.q),
    ...textMember('filter', given.filter),
    ...textMember('sort', given.sort),
    ...(Number.isInteger(page) && page > 1 && page <= maxPage && { page }),
    ...(pageSizes.includes(limit) && limit !== defaultPageSize && { limit }),
  };
}

/** The router reads `?q=12` as a number. */
function textMember(name: string, value: unknown): object {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? { [name]: text.slice(0, maxLength) } : {};
}
