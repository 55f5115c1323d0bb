import { describe, expect, it } from 'vitest';
import { addPolicy, authPolicies } from '../support/auth-policies.ts';
import { startController, storePairs } from '../support/controller.ts';

const identities = '/edge/management/v1/identities';
const limit = 65_536;

/** A JSON object of a length in bytes of UTF-8. */
function objectOf(bytes: number, filling = 'x'): Record<string, string> {
  const around = JSON.stringify({ long: '' }).length;
  const filled = filling.repeat(Math.floor((bytes - around) / Buffer.byteLength(filling)));
  const rest = bytes - around - Buffer.byteLength(filled);
  return { long: `${filled}${'x'.repeat(rest)}` };
}

describe.each(storePairs)('objects of any length on $stores', ({ open }) => {
  it.each(['tags', 'appData'])('%s are at most 64 KiB', async (field) => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const base = { name: 'long', type: 'User', isAdmin: false };
    const refuse = async (method: string, path: string, body: object) => {
      const { status, body: answer, text } = await server.wire(method, path, { token, body });
      expect([status, answer.error.code, answer.error.cause.field]).toEqual([400, 'COULD_NOT_VALIDATE', field]);
      expect(answer.error.cause.reason).toContain('65536');
      // The response does not repeat the value.
      expect(text.length).toBeLessThan(2_000);
    };
    for (const value of [objectOf(limit + 1), objectOf(limit + 1, '"'), objectOf(limit + 1, 'ß'), objectOf(500_000)]) {
      await refuse('POST', identities, { ...base, [field]: value });
    }
    const { pagination } = (await server.wire('GET', identities, { token })).body.meta;
    expect(pagination.totalCount).toBe(1);

    const longest = objectOf(limit);
    const created = await server.wire('POST', identities, { token, body: { ...base, [field]: longest } });
    expect(created.status, created.text).toBe(201);
    const one = `${identities}/${created.body.data.id}`;
    const read = async () => (await server.wire('GET', one, { token })).body.data;
    expect((await read())[field]).toEqual(longest);
    await refuse('PATCH', one, { name: 'changed', [field]: objectOf(limit + 1) });
    await refuse('PUT', one, { ...base, name: 'changed', [field]: objectOf(limit + 1) });
    expect(await read()).toMatchObject({ name: 'long', [field]: longest });
    const umlauts = objectOf(limit, 'ß');
    expect((await server.wire('PATCH', one, { token, body: { [field]: umlauts } })).status).toBe(200);
    expect((await read())[field]).toEqual(umlauts);
  });

  it('tags of other entities are at most 64 KiB, too', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const one = `${authPolicies}/${await addPolicy(server, token, { name: 'long' })}`;
    const patch = (tags: object) => server.wire('PATCH', one, { token, body: { tags } });
    const refused = await patch(objectOf(limit + 1));
    expect([refused.status, refused.body.error.cause.field]).toEqual([400, 'tags']);
    expect((await patch(objectOf(limit))).status).toBe(200);
    expect((await server.wire('GET', one, { token })).body.data.tags).toEqual(objectOf(limit));
  });
});
