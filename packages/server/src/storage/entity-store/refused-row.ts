import { StartError } from '../../core/start/start-error.ts';
import type { StoredRow } from './table-shape.ts';

/** A database refuses a row of a backup or an export. */
export class RefusedRow extends StartError {
  override readonly name = 'RefusedRow';
  /** With the names of table and column, and no value. */
  readonly reason: string;
  /** The row, where it was found when all of them were there. `null`: it is the one that was inserted. */
  readonly found: { readonly table: string; readonly row: StoredRow } | null;

  constructor(reason: string, found: RefusedRow['found'] = null) {
    const fix = 'nothing was changed: use another backup or export';
    super([{ message: `The rows cannot be used: ${reason}`, setting: null, fix, kind: 'wrong' }]);
    this.reason = reason;
    this.found = found;
  }
}
