import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner, signerBody, signersPath } from '../support/external-jwt-signers.ts';
import { sql } from '../support/sql.ts';

const allowing = (...allowedSigners: string[]) => ({ extJwt: { allowed: true, allowedSigners } });
const requiring = (requireExtJwtSigner: string | null) => ({ secondary: { requireExtJwtSigner } });

describe.each(storePairs)('auth policies and external JWT signers on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const policyBody = (name: string, ...allowed: string[]) => ({
    ...{ name, secondary: { requireTotp: false } },
    primary: { ...policyRules.primary, ...allowing(...allowed) },
  });
  const patchPolicy = (id: string, body: object) => server.wire('PATCH', `${authPolicies}/${id}`, { token, body });
  const readPolicy = async (id: string) => (await server.wire('GET', `${authPolicies}/${id}`, { token })).body.data;
  const remove = (path: string) => server.wire('DELETE', path, { token });
  const patchSigner = (id: string, body: object) => server.wire('PATCH', `${signersPath}/${id}`, { token, body });

  it('a policy names signers that exist, in any of its lists', async () => {
    const [first, second] = [await addSigner(server, token), await addSigner(server, token, { enabled: false })];
    const secondary = { requireTotp: false, requireExtJwtSigner: second };
    const body = { ...policyBody('names two', first, second), secondary };
    const created = await server.wire('POST', authPolicies, { token, body });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body.data;
    expect(await readPolicy(id)).toMatchObject({ primary: allowing(...[first, second].toSorted()), secondary });

    const wrong = [
      [policyBody('b', first, 'no'), 'primary.extJwt.allowedExtJwtSigners[1]'],
      [
        { ...body, name: 'c', secondary: { ...secondary, requireExtJwtSigner: 'no' } },
        'secondary.requiredExtJwtSigner',
      ],
    ] as const;
    for (const [unknown, field] of wrong) {
      const answer = await server.wire('POST', authPolicies, { token, body: unknown });
      expect([answer.status, answer.body.error.code, answer.body.error.cause]).toEqual([
        ...[404, 'NOT_FOUND'],
        { field, reason: 'not found', value: 'no' },
      ]);
    }
    for (const unknown of [{ primary: allowing(first, 'no') }, requiring('no')]) {
      const answer = await patchPolicy(id, unknown);
      expect([answer.status, answer.body.error.cause]).toEqual([
        404,
        { code: 'UNHANDLED', message: 'externalJwtSigner with id no not found' },
      ]);
    }
    expect((await patchPolicy(id, requiring(null))).status).toBe(200);
    expect(await readPolicy(id)).toMatchObject({ secondary });
    expect((await patchPolicy(id, requiring(''))).status).toBe(200);
    expect((await readPolicy(id)).secondary).toEqual({ requireTotp: false });
    expect((await patchPolicy(id, requiring(first))).status).toBe(200);
    const put = await server.wire('PUT', `${authPolicies}/${id}`, { token, body: policyBody('names none') });
    expect(put.status, put.text).toBe(200);
    expect(await readPolicy(id)).toMatchObject({ primary: allowing(), secondary: { requireTotp: false } });
  });

  it('a signer stays while a policy allows or requires it', async () => {
    const signer = await addSigner(server, token);
    const allowed = [
      await addPolicy(server, token, policyBody('allows 1', signer)),
      await addPolicy(server, token, policyBody('allows 2', await addSigner(server, token), signer)),
    ].toSorted();
    const required = await addPolicy(server, token, {
      name: 'requires',
      secondary: { requireTotp: false, requireExtJwtSigner: signer },
    });
    const expectKept = async (field: string, ids: string[]) => {
      const answer = await remove(`${signersPath}/${signer}`);
      const value = `[${ids.join(' ')}]`;
      expect([answer.status, answer.body.error.code, answer.body.error.cause]).toEqual([
        ...[409, 'CAN_NOT_DELETE_REFERENCED_ENTITY'],
        { field, reason: `entity type externalJwtSigner referenced by authPolicy: ${value}`, value },
      ]);
    };
    await expectKept('primary.extJwt.allowedSigners', allowed);
    for (const id of allowed) expect((await patchPolicy(id, { primary: allowing() })).status).toBe(200);
    await expectKept('secondary.requireExtJwtSigner', [required]);
    expect((await patchPolicy(required, requiring(''))).status).toBe(200);
    expect((await remove(`${signersPath}/${signer}`)).status).toBe(200);
  });

  it('a policy stays while a signer puts new identities under it', async () => {
    const policy = await addPolicy(server, token, policyBody('of new identities'));
    const signer = await addSigner(server, token, { enrollAuthPolicyId: policy });
    const answer = await remove(`${authPolicies}/${policy}`);
    expect([answer.status, answer.body.error.code, answer.body.error.cause]).toMatchObject([
      ...[409, 'CAN_NOT_DELETE_REFERENCED_ENTITY'],
      { field: 'enrollAuthPolicyId', value: `[${signer}]` },
    ]);
    expect((await patchSigner(signer, { enrollAuthPolicyId: 'default' })).status).toBe(200);
    expect((await remove(`${authPolicies}/${policy}`)).status).toBe(200);
    expect((await remove(`${signersPath}/${signer}`)).status).toBe(200);
  });

  it('a signer that is deleted while policies take it is named by none', async () => {
    for (let round = 0; round < 10; round += 1) {
      const signer = await addSigner(server, token);
      const other = await addPolicy(server, token, policyBody(`races too ${round}`));
      const answers = await Promise.all([
        server.wire('POST', authPolicies, { token, body: policyBody(`races ${round}`, signer) }),
        patchPolicy(other, requiring(signer)),
        remove(`${signersPath}/${signer}`),
      ]);
      expect(answers.filter(({ status }) => ![200, 201, 404, 409].includes(status))).toEqual([]);
      const rows = await sql(server, 'select "primary", "secondary" from "authPolicies"');
      const isNamed = JSON.stringify(rows).includes(signer);
      expect(isNamed).toBe((await sql(server, `select 1 from "externalJwtSigners" where id = '${signer}'`)).length > 0);
    }
  });

  it('a policy that is deleted while signers take it is named by none', async () => {
    for (let round = 0; round < 10; round += 1) {
      const policy = await addPolicy(server, token, policyBody(`taken ${round}`));
      const signer = await addSigner(server, token);
      const body = { enrollAuthPolicyId: policy };
      const answers = await Promise.all([
        server.wire('POST', signersPath, { token, body: signerBody(body) }),
        patchSigner(signer, body),
        remove(`${authPolicies}/${policy}`),
      ]);
      expect(answers.filter(({ status }) => ![200, 201, 400, 409].includes(status))).toEqual([]);
      const [named, left] = [
        await sql(server, `select 1 from "externalJwtSigners" where "enrollAuthPolicyId" = '${policy}'`),
        await sql(server, `select 1 from "authPolicies" where id = '${policy}'`),
      ];
      expect(named.length > 0).toBe(left.length > 0);
    }
  });

  it('changes of signers and policies that name each other never wait for each other', async () => {
    const policies = [
      await addPolicy(server, token, policyBody('first of two')),
      await addPolicy(server, token, policyBody('second of two')),
    ];
    const both = [await addSigner(server, token), await addSigner(server, token)];
    const at = <Value>(values: readonly Value[], index: number) => values[index % values.length] as Value;
    const change = (index: number) => {
      const [policy, signer] = [at(policies, index >> 1), at(both, index >> 2)];
      if (index % 2 === 0) return patchPolicy(policy, { primary: index % 3 === 0 ? allowing() : allowing(...both) });
      if (index % 7 === 0) {
        const body = signerBody({ name: `name ${signer}`, issuer: `https://${signer}`, enrollAuthPolicyId: null });
        return server.wire('PUT', `${signersPath}/${signer}`, { token, body });
      }
      return patchSigner(signer, { enrollAuthPolicyId: index % 3 === 0 ? policy : 'default' });
    };
    for (let first = 0; first < 120; first += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => change(first + index)));
      expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    }
  });
});
