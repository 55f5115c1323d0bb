import type { Row } from '@edge-controller/operation-tables';
import { isRow, textOf } from '@edge-controller/operation-tables';
import { listRows } from '../api/list-rows.ts';
import { printable } from '../lib/printable.ts';
import { jsonOf } from '../output/json-of.ts';
import { print, styled } from '../output/terminal.ts';
import type { WatchFlags } from './watch-rounds.ts';
import { watchRounds } from './watch-rounds.ts';

/** Entries of one round. What is left comes with the next one. */
const pageSize = '500';

/** Prints each entry of the audit log that is new, until Ctrl+C. */
export async function watchAudit({ filter, output, ...flags }: WatchFlags): Promise<void> {
  let last: number | null = null;
  await watchRounds(flags, async (edge) => {
    const list: typeof edge.management.auditLog.list = (query) => edge.management.auditLog.list(query);
    if (last === null) {
      const { data } = await list({ sort: 'sequence desc', limit: 1 });
      last = data[0]?.sequence ?? 0;
      return;
    }
    const isNew = `sequence > ${last}`;
    const where = filter === undefined ? isNew : `${isNew} and (${filter})`;
    const { rows } = await listRows(edge, list, { filter: where, sort: 'sequence asc', limit: pageSize });
    for (const row of rows.filter(isRow)) {
      print(output === 'json' ? jsonOf(row) : lineOf(row));
      last = Number(row.sequence);
    }
  });
}

function lineOf({ createdAt, event, outcome, identityId, entityType, entityId }: Row): string {
  const sign = outcome === 'success' ? styled('green', '+') : styled('red', '!');
  const on = [entityType, entityId].filter(Boolean).map(textOf).join(' ');
  return [
    `${printable(textOf(createdAt))} ${sign}`,
    ...[event, identityId, on].map((value) => printable(textOf(value))),
  ].join('  ');
}
