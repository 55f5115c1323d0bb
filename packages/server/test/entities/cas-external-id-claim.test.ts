import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addCa, caBody, cas } from '../support/registered-cas.ts';
import { createTestCa } from '../support/test-ca.ts';

const claim = {
  ...{ location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@example.org' },
  ...{ parser: 'SPLIT', parserCriteria: '.', index: 2 },
};

describe.each(storePairs)('external id claims of CAs on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const read = async (id: string) => (await server.wire('GET', `${cas}/${id}`, { token })).body.data;
  const patch = async (id: string, body: object) => {
    const answer = await server.wire('PATCH', `${cas}/${id}`, { token, body });
    expect(answer.status, answer.text).toBe(200);
    return (await read(id)).externalIdClaim;
  };

  it('are stored with all members, and null criteria are empty', async () => {
    const id = await addCa(server, token, { externalIdClaim: claim });
    expect((await read(id)).externalIdClaim).toEqual(claim);
    const plain = { location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: null, parser: 'NONE' };
    const other = await addCa(server, token, { externalIdClaim: { ...plain, parserCriteria: null, index: null } });
    expect((await read(other)).externalIdClaim).toEqual({
      ...plain,
      matcherCriteria: '',
      parserCriteria: '',
      index: 0,
    });
    const without = await read(await addCa(server, token, { externalIdClaim: null }));
    expect(without).not.toHaveProperty('externalIdClaim');
  });

  it('are cleared by a PATCH without a claim, kept by an empty one, and merged member by member', async () => {
    const id = await addCa(server, token, { externalIdClaim: claim });
    expect(await patch(id, { externalIdClaim: {} })).toEqual(claim);
    expect(await patch(id, { externalIdClaim: { index: null, parser: null } })).toEqual(claim);
    expect(await patch(id, { externalIdClaim: { index: 0 } })).toEqual({ ...claim, index: 0 });
    expect(await patch(id, { externalIdClaim: { parserCriteria: '::', matcher: 'PREFIX' } })).toEqual({
      ...claim,
      ...{ index: 0, parserCriteria: '::', matcher: 'PREFIX' },
    });
    expect(await patch(id, { tags: {} })).toBeUndefined();
    expect(await patch(id, { externalIdClaim: {} })).toBeUndefined();
    expect(await patch(id, { externalIdClaim: claim })).toEqual(claim);
    expect(await patch(id, { externalIdClaim: null })).toBeUndefined();
    const few = { location: 'SAN_URI', matcher: 'ALL', parser: 'NONE' };
    expect(await patch(id, { externalIdClaim: few })).toEqual({
      ...few,
      ...{ matcherCriteria: '', parserCriteria: '', index: 0 },
    });
  });

  it('are cleared by a PUT without a claim, and replaced by another', async () => {
    const id = await addCa(server, token, { externalIdClaim: claim });
    const { certPem: _, ...body } = caBody(createTestCa(), { identityNameFormat: '' });
    const put = (changes: object) => server.wire('PUT', `${cas}/${id}`, { token, body: { ...body, ...changes } });
    const other = { ...claim, location: 'COMMON_NAME', index: 0 };
    expect((await put({ externalIdClaim: other })).status).toBe(200);
    expect((await read(id)).externalIdClaim).toEqual(other);
    expect((await put({})).status).toBe(200);
    expect((await read(id)).externalIdClaim).toBeUndefined();
  });

  it.each([
    [{ location: 'SAN_URI', matcher: 'PREFIX' }, "the value 'PREFIX' for 'externalIdClaim.matcher' is invalid: "],
    [{ location: 'SAN_URI', matcher: 'SUFFIX' }, "the value 'SUFFIX' for 'externalIdClaim.matcher' is invalid: "],
    [{ location: 'COMMON_NAME', matcher: 'SCHEME' }, "the value 'SCHEME' for 'externalIdClaim.matcher' is invalid: "],
    [{ location: 'SAN_EMAIL', matcher: 'SCHEME' }, "the value 'SCHEME' for 'externalIdClaim.matcher' is invalid: "],
    [{ matcherCriteria: '' }, "the value '' for 'externalIdClaim.matcherCriteria' is invalid: "],
    [{ matcher: 'PREFIX', matcherCriteria: '' }, "the value '' for 'externalIdClaim.matcherCriteria' is invalid: "],
    [
      { location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: '' },
      "the value '' for 'externalIdClaim.matcherCriteria' is invalid: ",
    ],
    [{ parserCriteria: '' }, "the value '' for 'externalIdClaim.parserCriteria' is invalid: "],
  ])('are refused with %o by POST, PUT and PATCH', async (changes, message) => {
    const wrong = { externalIdClaim: { ...claim, ...changes } };
    const id = await addCa(server, token, { externalIdClaim: claim });
    const before = await read(id);
    const body = caBody(createTestCa(), { identityNameFormat: '', ...wrong });
    for (const answer of [
      await server.wire('POST', cas, { token, body }),
      await server.wire('PUT', `${cas}/${id}`, { token, body }),
      await server.wire('PATCH', `${cas}/${id}`, { token, body: wrong }),
      await server.wire('PATCH', `${cas}/${id}`, { token, body: { externalIdClaim: changes } }),
    ]) {
      expect([answer.status, answer.body.error.code, answer.body.error.cause.code]).toEqual([
        ...[400, 'INVALID_FIELD', 'UNHANDLED'],
      ]);
      expect(answer.body.error.cause.message).toContain(message);
    }
    expect(await read(id)).toEqual(before);
  });

  it.each([
    [{ location: 'DNS' }, 'location'],
    [{ location: null }, 'location'],
    [{ matcher: 'REGEX' }, 'matcher'],
    [{ parser: undefined }, 'parser'],
    [{ matcherCriteria: undefined }, 'matcherCriteria'],
    [{ matcherCriteria: 'x'.repeat(501) }, 'matcherCriteria'],
    [{ index: -1 }, 'index'],
    [{ index: 1_001 }, 'index'],
    [{ index: undefined }, 'index'],
  ])('need every member and its values: %o', async (changes, member) => {
    const body = caBody(createTestCa(), { externalIdClaim: { ...claim, ...changes } });
    const { status, body: answer } = await server.wire('POST', cas, { token, body });
    expect([status, answer.error.code, answer.error.cause.field]).toEqual([
      ...[400, 'COULD_NOT_VALIDATE'],
      `externalIdClaim.${member}`,
    ]);
  });

  it.each(['location', 'matcher', 'parser'])('cannot come to be by a PATCH without %s', async (member) => {
    const id = await addCa(server, token);
    const body = { externalIdClaim: { ...claim, [member]: undefined } };
    const { status, body: answer } = await server.wire('PATCH', `${cas}/${id}`, { token, body });
    expect([status, answer.error.code, answer.error.cause.field]).toEqual([
      ...[400, 'COULD_NOT_VALIDATE'],
      `externalIdClaim.${member}`,
    ]);
  });
});
