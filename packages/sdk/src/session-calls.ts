import type { PreparedCall } from './calls.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';

export const sessionPath = '/current-api-session';
export const sessionRow: OperationRow = { method: 'GET', path: sessionPath, access: 'partial', result: 'detail' };
export const endRow: OperationRow = { method: 'DELETE', path: sessionPath, access: 'partial', result: 'empty' };

/** A call that every client can make, also when the table of all operations cannot be loaded. */
export function callOf(row: OperationRow, options: CallOptions = {}, body?: unknown, query = ''): PreparedCall {
  return { row, path: row.path + query, headers: {}, body, options };
}
