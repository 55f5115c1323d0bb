import type { Row } from '@edge-controller/operation-tables';
import { isRow, textOf, valueAt } from '@edge-controller/operation-tables';
import { listRows } from '../api/list-rows.ts';
import { systemClock } from '../lib/clock.ts';
import { printable } from '../lib/printable.ts';
import { jsonOf } from '../output/json-of.ts';
import { print, styled } from '../output/terminal.ts';
import type { WatchFlags } from './watch-rounds.ts';
import { watchRounds } from './watch-rounds.ts';

/** Prints each API session that begins or ends, until Ctrl+C. */
export async function watchSessions({ filter, output, ...flags }: WatchFlags): Promise<void> {
  const show = (event: 'began' | 'ended', session: Row) => print(lineOf(event, session, output === 'json'));
  let known = new Map<string, Row>();
  await watchRounds(flags, async (edge) => {
    const { rows } = await listRows(edge, (query) => edge.management.apiSessions.list(query), {
      filter,
      limit: 'all',
    });
    const now = new Map(rows.filter(isRow).map((row) => [textOf(row.id), row]));
    for (const [id, row] of now) if (!known.has(id)) show('began', row);
    for (const [id, row] of known) if (!now.has(id)) show('ended', row);
    known = now;
  });
}

function lineOf(event: 'began' | 'ended', session: Row, isJson: boolean): string {
  // Both are the time at which they were seen, so that lines of the two are in order.
  const at = new Date(systemClock()).toISOString();
  const identity = textOf(valueAt(session, 'identity.name'));
  const { id, ipAddress, createdAt } = session;
  if (isJson) return jsonOf({ event, at, id, identity, ipAddress, createdAt });
  const sign = event === 'began' ? styled('green', '+') : styled('red', '-');
  const since = `since ${textOf(createdAt)}`;
  return `${at} ${sign} ${[identity, textOf(ipAddress), textOf(id), since].map((text) => printable(text)).join('  ')}`;
}
