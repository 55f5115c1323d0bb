import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Circuit } from './circuit.ts';
import { ClosingCircuits } from './closing-circuits.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const circuit = (id: string): Circuit => ({
  ...{ id, serviceId: 'wiki', terminatorId: 't1', clientId: 'ada', hostId: 'bob', createdAt: 0, updatedAt: 0 },
  ...{ path: { routers: ['r1', 'r2'], links: ['l1'], cost: 1 }, ingressAddress: 'in', egressAddress: 'out' },
  ...{ sessionId: `dial ${id}`, apiSessionId: 'of ada', hostSessionId: 'bind', hostApiSessionId: 'of bob' },
  uses: [],
});
const idsOf = (circuits: Iterable<Circuit>) => [...circuits].map(({ id }) => id);

it('are found by the sessions of both ends, and by their routers', () => {
  const closing = new ClosingCircuits();
  for (const id of ['1', '2']) closing.add(circuit(id));
  const { table } = closing;
  expect(['dial 1', 'bind', 'other'].map((id) => idsOf(table.ofSession(id)))).toEqual([['1'], ['1', '2'], []]);
  expect(['of ada', 'of bob', 'other'].map((id) => idsOf(table.ofApiSession(id)))).toEqual([
    ['1', '2'],
    ['1', '2'],
    [],
  ]);
  expect(['r2', 'r3'].map((id) => idsOf(table.through(id)))).toEqual([['1', '2'], []]);
  expect([closing.delete('1')?.id, closing.delete('1'), idsOf(closing.table.all())]).toEqual(['1', null, ['2']]);
});

it('are kept as long as a router may have them', () => {
  const closing = new ClosingCircuits();
  closing.add(circuit('1'));
  vi.advanceTimersByTime(6_000);
  closing.add(circuit('2'));
  vi.advanceTimersByTime(3_999);
  expect(idsOf(closing.table.all())).toEqual(['1', '2']);
  vi.advanceTimersByTime(1);
  expect(idsOf(closing.table.all())).toEqual(['2']);
  vi.advanceTimersByTime(6_000);
  expect(closing.table.size).toBe(0);
});

it('are 100,000 at most: the oldest go first', () => {
  const closing = new ClosingCircuits();
  for (let id = 0; id <= 100_000; id += 1) closing.add(circuit(String(id)));
  expect([closing.table.size, closing.table.get('0'), closing.table.get('1')?.id]).toEqual([100_000, undefined, '1']);
});
