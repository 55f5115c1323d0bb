import { describe, expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';

const management = '/edge/management/v1';
const withoutLimit = '"limit":9223372036854775807';

describe.each(storePairs)('an offset without a limit on $stores', ({ open }) => {
  it('has no rows, as on the wire; the total is that of all rows', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    await server.signIn();
    for (const name of ['one', 'two']) {
      const body = { name, type: 'Device', isAdmin: false };
      expect((await server.wire('POST', `${management}/identities`, { token, body })).status).toBe(201);
    }
    const list = async (path: string, query: Record<string, string>) => {
      const { status, text, body } = await server.wire('GET', `${path}?${new URLSearchParams(query)}`, { token });
      expect(status, text).toBe(200);
      expect(text).toContain(withoutLimit);
      const { offset, totalCount } = body.meta.pagination;
      return { ids: body.data.map(({ id }: { id: string }) => id), offset, totalCount };
    };
    const sorts = { identities: 'name', 'api-sessions': 'createdAt desc' };
    for (const [collection, sort] of Object.entries(sorts)) {
      const path = `${management}/${collection}`;
      const { ids, totalCount } = await list(path, { limit: '-1' });
      expect(ids).toHaveLength(totalCount);
      const empty = { ids: [], offset: 1, totalCount };
      expect(await list(path, { filter: `sort by ${sort} skip 1 limit none` })).toEqual(empty);
      expect(await list(path, { filter: `true sort by ${sort} skip 1 limit none` })).toEqual(empty);
      expect(await list(path, { sort, filter: 'skip 1 limit none' })).toEqual(empty);
      expect(await list(path, { sort, limit: '-1', offset: '1' })).toEqual(empty);
      expect((await list(path, { filter: `sort by ${sort} skip 0 limit none` })).ids).toHaveLength(totalCount);
      expect(await list(path, { filter: 'skip 1 limit none' })).toEqual(empty);
      expect(await list(path, { filter: 'sort by id skip 1 limit none' })).toEqual(empty);
    }
    const own = '/edge/client/v1/current-identity/authenticators';
    const [id] = (await list(own, { limit: '-1' })).ids;
    expect(await list(own, { filter: 'sort by updbUsername skip 1 limit none' })).toEqual({
      ...{ ids: [], offset: 1, totalCount: 1 },
    });
    expect((await list(own, { filter: 'sort by updbUsername limit none' })).ids).toEqual([id]);
  });
});
