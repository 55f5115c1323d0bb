import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addDevice, signInWith } from '../support/certificate-users.ts';
import { storePairs } from '../support/controller.ts';
import { inAnHour } from '../support/enrollments.ts';
import { signerBody } from '../support/external-jwt-signers.ts';
import { signJwt } from '../support/jwt.ts';
import { bearer, certificateKey, jwtSignIn } from '../support/jwt-issuer.ts';
import { addVerifiedCa, caBody, everythingOn, sendProof } from '../support/registered-cas.ts';
import { allowed, identity, lacking, withSubjects } from '../support/rights.ts';
import type { Subject } from '../support/subjects.ts';
import { createTestCa, newName } from '../support/test-ca.ts';

const byCommonName = {
  ...{ location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: '' },
  ...{ parser: 'NONE', parserCriteria: '', index: 0 },
};
const extJwt = (allowedSigners: readonly string[]) => ({
  ...policyRules.primary,
  extJwt: { allowed: true, allowedSigners },
});

describe.each(storePairs)('rights on $stores', ({ open }) => {
  const t = withSubjects(open);
  const { holder, manage, read, send } = t;
  describe('cannot be reached through an auth policy:', () => {
    const looser = { primary: { updb: { minPasswordLength: 5 } }, secondary: { requireTotp: false } };

    it('one by which an identity with other rights signs in is not changed', async () => {
      const manager = await holder('auth-policy', 'identity');
      const id = await addPolicy(t.server, t.admin, { name: randomUUID(), secondary: { requireTotp: true } });
      expect(await send(manager, 'PATCH', '/auth-policies/default', looser)).toMatchObject(lacking);
      expect(await send(manager, 'PUT', '/auth-policies/default', { name: 'x', ...policyRules })).toMatchObject(
        lacking,
      );
      expect(await send(manager, 'DELETE', '/auth-policies/default')).toMatchObject(lacking);
      expect(await send(manager, 'PATCH', `/auth-policies/${id}`, looser)).toMatchObject(allowed);
      const change = (target: Subject) => manage('PATCH', identity(target), { authPolicyId: id });
      expect(await change(t.somebody)).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', `/auth-policies/${id}`, looser)).toMatchObject(allowed);
      const other = await holder('service.read');
      expect(await change(other)).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', `/auth-policies/${id}`, looser)).toMatchObject(lacking);
      expect(await manage('PATCH', identity(other), { permissions: ['identity.read'] })).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', `/auth-policies/${id}`, looser)).toMatchObject(allowed);
    });
  });

  describe('cannot be reached through a signer:', () => {
    const key = certificateKey();
    const audience = 'edge';
    const tokenOf = (issuer: string, sub: string) => {
      const now = Math.floor(Date.now() / 1_000);
      return signJwt({
        ...{ alg: key.alg, key: key.privateKey, header: { alg: key.alg, kid: key.kid } },
        claims: { iss: issuer, aud: audience, sub, iat: now, exp: now + 300 },
      });
    };
    const signIn = (issuer: string, subject: Subject) =>
      t.server.wire('POST', jwtSignIn, { body: {}, headers: bearer(tokenOf(issuer, subject.ids.identities ?? '')) });
    const ownSigner = () =>
      signerBody({ audience, jwksEndpoint: null, certPem: key.certPem, issuer: `https://${randomUUID()}.example` });
    const path = (id: string) => `/external-jwt-signers/${id}`;

    it('a new one that an administrator could sign in with is refused', async () => {
      const manager = await holder('external-jwt-signer');
      const authPolicyId = await addPolicy(t.server, t.admin, { name: randomUUID(), primary: extJwt([]) });
      expect(await manage('PATCH', identity(t.boss), { authPolicyId })).toMatchObject(allowed);
      const signer = ownSigner();
      expect(await send(manager, 'POST', '/external-jwt-signers', signer)).toMatchObject(lacking);
      const disabled = { ...signer, enabled: false };
      expect(await send(manager, 'POST', '/external-jwt-signers', disabled)).toMatchObject(lacking);
      // The attack would work.
      const created = await manage('POST', '/external-jwt-signers', signer);
      expect((await signIn(String(signer.issuer), t.boss)).status).toBe(200);
      const { id } = created.body.data;
      for (const body of [{ enabled: true }, { certPem: certificateKey().certPem }, { useExternalId: true }]) {
        expect(await send(manager, 'PATCH', path(id), body)).toMatchObject(lacking);
      }
      expect(await send(manager, 'DELETE', path(id))).toMatchObject(lacking);
      // A list names the signers that count.
      const { id: named } = (await manage('POST', '/external-jwt-signers', signerBody())).body.data;
      const narrowed = { primary: { extJwt: { allowedSigners: [named] } } };
      expect(await manage('PATCH', `/auth-policies/${authPolicyId}`, narrowed)).toMatchObject(allowed);
      expect((await signIn(String(signer.issuer), t.boss)).status).toBe(401);
      expect(await send(manager, 'PATCH', path(id), { enabled: true })).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', path(named), { enabled: true })).toMatchObject(lacking);
      expect(await send(manager, 'DELETE', path(id))).toMatchObject(allowed);
      const created2 = await send(manager, 'POST', '/external-jwt-signers', ownSigner());
      expect(created2.status).toBe(201);
      await manage('DELETE', path(created2.body.data.id));
    });

    it('one whose JWT is the second factor of an administrator is not changed', async () => {
      const manager = await holder('external-jwt-signer');
      const { id } = (await manage('POST', '/external-jwt-signers', signerBody())).body.data;
      const secondary = { requireTotp: false, requireExtJwtSigner: id };
      const authPolicyId = await addPolicy(t.server, t.admin, { name: randomUUID(), secondary });
      expect(await manage('PATCH', identity(t.somebody), { authPolicyId })).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', path(id), { audience: 'own' })).toMatchObject(allowed);
      expect(await manage('PATCH', identity(t.boss), { authPolicyId })).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', path(id), { audience: 'own' })).toMatchObject(lacking);
    });
  });

  describe('cannot be reached through a CA:', () => {
    it('one with a claim is not made or changed while an administrator has an external id', async () => {
      const manager = await holder('ca');
      const ca = createTestCa(newName());
      const externalId = randomUUID();
      const create = (changes: object) => send(manager, 'POST', '/cas', caBody(ca, { ...everythingOn, ...changes }));
      expect(await manage('PATCH', identity(t.boss), { externalId })).toMatchObject(allowed);
      expect(await create({ externalIdClaim: byCommonName })).toMatchObject(lacking);
      const created = await create({});
      expect(created.status, created.text).toBe(201);
      const { id } = created.body.data;
      const { verificationToken } = await read(`/cas/${id}`);
      const proof = ca.client(verificationToken).leafPem;
      const change = { externalIdClaim: byCommonName };
      expect(await send(manager, 'PATCH', `/cas/${id}`, change)).toMatchObject(lacking);
      const full = { name: newName(), ...everythingOn, identityRoles: [], identityNameFormat: '', ...change };
      expect(await send(manager, 'PUT', `/cas/${id}`, full)).toMatchObject(lacking);
      // The attack would work.
      expect(await manage('PATCH', `/cas/${id}`, change)).toMatchObject(allowed);
      expect(await sendProof(t.server, { token: manager.token, id, proof })).toMatchObject(lacking);
      expect(await sendProof(t.server, { token: t.admin, id, proof })).toMatchObject(allowed);
      expect((await signInWith(t.server, ca.client(externalId))).body.data.identityId).toBe(t.boss.ids.identities);
      for (const body of [{ isAuthEnabled: false }, { identityRoles: ['a'] }]) {
        expect(await send(manager, 'PATCH', `/cas/${id}`, body)).toMatchObject(lacking);
      }
      expect(await send(manager, 'DELETE', `/cas/${id}`)).toMatchObject(lacking);
      expect(await manage('PATCH', identity(t.boss), { externalId: '' })).toMatchObject(allowed);
      expect(await send(manager, 'PATCH', `/cas/${id}`, change)).toMatchObject(allowed);
      expect(await send(manager, 'DELETE', `/cas/${id}`)).toMatchObject(allowed);
    });

    it('one is not changed that has issued the certificate of an administrator, or enrolls one', async () => {
      const manager = await holder('ca');
      const ca = createTestCa(newName());
      const id = await addVerifiedCa(t.server, t.admin, ca);
      const change = () => send(manager, 'PATCH', `/cas/${id}`, { isAuthEnabled: true });
      expect(await change()).toMatchObject(allowed);
      const device = await addDevice(t.server, t.admin, { client: ca.client('a device'), isIssuedByNetwork: false });
      expect(await change()).toMatchObject(allowed);
      const own = `/identities/${device.identityId}`;
      expect(await manage('PATCH', own, { isAdmin: true })).toMatchObject(allowed);
      expect(await change()).toMatchObject(lacking);
      expect(await send(manager, 'DELETE', `/cas/${id}`)).toMatchObject(lacking);
      expect(await manage('PATCH', own, { isAdmin: false })).toMatchObject(allowed);
      const ottca = { identityId: t.boss.ids.identities, method: 'ottca', caId: id, expiresAt: inAnHour() };
      const pending = await manage('POST', '/enrollments', ottca);
      expect(await change()).toMatchObject(lacking);
      expect(await manage('DELETE', `/enrollments/${pending.body.data.id}`)).toMatchObject(allowed);
      expect(await send(manager, 'DELETE', `/cas/${id}`)).toMatchObject(allowed);
    });
  });
});
