import { describe, expect, it } from 'vitest';
import { IndexedTable } from './indexed-table.ts';

interface Item {
  readonly id: string;
  readonly owner: string;
  readonly place: string;
}

const item = (id: string, owner: string, place = 'here'): Item => ({ id, owner, place });

describe('a table with indexes', () => {
  function filled() {
    const table = new IndexedTable<Item, 'owner' | 'place'>(['owner', 'place']);
    for (const one of [item('1', 'ada'), item('2', 'ada'), item('3', 'bob')]) table.set(one);
    return table;
  }
  const idsOf = (items: Iterable<Item>) => [...items].map(({ id }) => id);

  it('finds items by id and by their members', () => {
    const table = filled();
    expect([table.size, table.get('2'), table.get('4')]).toEqual([3, item('2', 'ada'), undefined]);
    expect(idsOf(table.all())).toEqual(['1', '2', '3']);
    expect([idsOf(table.of('owner', 'ada')), idsOf(table.of('owner', 'eve'))]).toEqual([['1', '2'], []]);
  });

  it('puts an item in the place of the one with its id, in each index', () => {
    const table = filled();
    table.set(item('1', 'bob', 'there'));
    expect(table.size).toBe(3);
    expect([idsOf(table.of('owner', 'ada')), idsOf(table.of('owner', 'bob'))]).toEqual([['2'], ['3', '1']]);
    expect([idsOf(table.of('place', 'here')), idsOf(table.of('place', 'there'))]).toEqual([['2', '3'], ['1']]);
  });

  it('forgets an item everywhere, once', () => {
    const table = filled();
    expect([table.delete('3'), table.delete('3'), table.delete('x')]).toEqual([item('3', 'bob'), null, null]);
    expect([table.size, idsOf(table.of('owner', 'bob'))]).toEqual([2, []]);
  });

  it('may be emptied while it is read', () => {
    const table = filled();
    for (const { id } of table.of('owner', 'ada')) table.delete(id);
    expect(idsOf(table.all())).toEqual(['3']);
  });
});
