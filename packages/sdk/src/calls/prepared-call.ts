import type { CallOptions } from '../api/call-options.ts';
import type { OperationRow } from './operation-row.ts';

/** One call with its arguments assigned to path, headers, body and options. */
export interface PreparedCall {
  readonly row: OperationRow;
  /** Path below the API root, with its parameters filled in, and the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly options: CallOptions;
}
