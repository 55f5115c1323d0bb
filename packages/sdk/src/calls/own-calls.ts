import type { CallOptions } from '../api/call-options.ts';
import type { OperationRow } from './operation-row.ts';
import type { PreparedCall } from './prepared-call.ts';

export const authenticatePath = '/authenticate';
export const sessionPath = '/current-api-session';
export const sessionRow: OperationRow = { method: 'GET', path: sessionPath, access: 'partial', result: 'detail' };
/** Reads the session without a use of it. Other controllers of the same wire API ignore it. */
export const peekQuery = '?touch=false';
export const endRow: OperationRow = { method: 'DELETE', path: sessionPath, access: 'partial', result: 'empty' };

/** A call that every client can make, also when the table of all operations cannot be loaded. */
export function callOf(row: OperationRow, options: CallOptions = {}, body?: unknown, query = ''): PreparedCall {
  return { row, path: row.path + query, headers: {}, body, options };
}

export const isSignIn = ({ path }: OperationRow): boolean => path === authenticatePath;

export const isSignOut = ({ method, path }: OperationRow): boolean => method === 'DELETE' && path === sessionPath;
