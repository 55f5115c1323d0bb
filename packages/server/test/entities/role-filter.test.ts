import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import { adminCredentials, everyStorePair, startController } from '../support/controller.ts';

const identities = '/edge/management/v1/identities';

describe.each(everyStorePair)('the role filter of identities on $stores', ({ open }) => {
  it('selects by attributes and ids, together with a filter', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const ids: Record<string, string> = {};
    for (const [name, roleAttributes] of Object.entries({
      both: ['sales', 'berlin'],
      sales: ['sales'],
      berlin: ['berlin'],
      all: ['all'],
      none: [],
    })) {
      const body = { name, type: 'Device', isAdmin: false, roleAttributes };
      ids[name] = (await server.wire('POST', identities, { token, body })).body.data.id;
    }
    const namesOf = async (...parameters: [string, string][]) => {
      const query = new URLSearchParams([...parameters, ['sort', 'name']]);
      const listed = await server.wire('GET', `${identities}?${query}`, { token });
      expect(listed.status, listed.text).toBe(200);
      const names = listed.body.data.map(({ name }: { name: string }) => name);
      expect(listed.body.meta.pagination.totalCount).toBe(names.length);
      return names;
    };
    const sales = ['roleFilter', '#sales'] as const;
    const berlin = ['roleFilter', '#berlin'] as const;
    const anyOf = ['roleSemantic', 'anyOF'] as const;
    expect(await namesOf([...sales])).toEqual(['both', 'sales']);
    expect(await namesOf([...sales], [...berlin])).toEqual(['both']);
    expect(await namesOf([...sales], [...berlin], [...anyOf])).toEqual(['berlin', 'both', 'sales']);
    expect(await namesOf([...sales], [...berlin], ['roleFilter', `@${ids.none}`])).toEqual(['both', 'none']);
    expect(await namesOf([...sales], ['filter', 'name contains "a"'])).toEqual(['sales']);
    expect(await namesOf(['roleFilter', '#all'])).toEqual(['all']);
    expect(await namesOf(['roleFilter', '@nobody'])).toEqual([]);
    expect(await namesOf(['roleFilter', '#sales,#berlin'])).toEqual([]);

    for (const [name, value, field] of [
      ['roleFilter', 'sales', 'roleFilter'],
      ['roleFilter', '#a\0', 'roleFilter'],
      ['roleSemantic', 'constructor', 'semantic'],
    ]) {
      const query = new URLSearchParams([
        ['roleFilter', '#sales'],
        [name!, value!],
      ]);
      const refused = await server.wire('GET', `${identities}?${query}`, { token });
      expect([refused.status, refused.body.error.cause.field]).toEqual([400, field]);
    }
    expect((await server.wire('GET', `${identities}?roleSemantic=unknown`, { token })).status).toBe(200);

    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    const { data } = await edge.management.identities.list({ roleFilter: ['#sales', '#berlin'] });
    expect(data.map(({ name }) => name)).toEqual(['both']);
  });
});
