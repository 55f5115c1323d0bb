import { expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import { startController } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, places } from '../support/version-2.ts';

const longName = 'n'.repeat(254);
const subject = 'the external id';
/** What was stored, what it is now, and claims in which it finds the identity. */
const selectors: readonly (readonly [string, string, object])[] = [
  ['sub', 'sub', { sub: subject }],
  ['/sub', '/sub', { sub: subject }],
  ['realm/id', '/realm/id', { realm: { id: subject } }],
  ['person/0/edge~1id', '/person/0/edge~1id', { person: [{ 'edge/id': subject }] }],
  ['edge~1id', '/edge~1id', { 'edge/id': subject }],
  ['tilde~0name', '/tilde~0name', { 'tilde~name': subject }],
  ['a//b', '/a//b', { a: { '': { b: subject } } }],
  [`${longName}/a`, `/${longName}/a`, { [longName]: { a: subject } }],
  ['https://x.example/id', 'https://x.example/id', { 'https://x.example/id': subject }],
];

/** A row of a signer of the version before. */
function rowOf({ issuer, audience, jwksEndpoint }: JwtIssuer, id: string, selector: string) {
  const made = '2024-02-03T04:05:06.789Z';
  return {
    ...{ id, createdAt: made, updatedAt: made, tags: '{}', name: id, enabled: 1, issuer, audience, jwksEndpoint },
    ...{ certPem: null, kid: null, claimsProperty: selector, useExternalId: 1, externalAuthUrl: null, clientId: null },
    ...{ scopes: null, targetToken: 'ACCESS', enrollToCertEnabled: null, enrollToTokenEnabled: 1 },
    ...{ enrollAuthPolicyId: 'default', enrollNameClaimsSelector: selector, enrollAttributeClaimsSelector: selector },
    ...{ commonName: '', fingerprint: null, notBefore: made, notAfter: made, authVersion: 3 },
  };
}

it.each(places)(
  'selectors of claims that an earlier version stored find the same claims, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    const issuers = await Promise.all(selectors.map(() => createJwtIssuer()));
    await using cleanUp = new AsyncDisposableStack();
    for (const issuer of issuers) cleanUp.use(issuer);
    {
      await using old = await openOldDatabase(options, '0010-external-jwt-signers');
      const rows = selectors.map(([selector], at) => rowOf(issuers[at]!, `signer ${at}`, selector));
      const without = {
        ...rowOf({ ...issuers[0]!, issuer: 'none' }, 'none', 'sub'),
        enrollAttributeClaimsSelector: null,
      };
      await old.insert('externalJwtSigners', ...rows, without);
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const authPolicyId = await addPolicy(server, token, { name: 'tokens', primary });
    await addIdentity(server, token, { externalId: subject, authPolicyId });

    for (const [at, [, now, claims]] of selectors.entries()) {
      const shown = (await server.wire('GET', `${signersPath}/signer%20${at}`, { token })).body.data;
      expect(shown).toMatchObject({ updatedAt: '2024-02-03T04:05:06.789Z', claimsProperty: now });
      expect(shown).toMatchObject({ enrollNameClaimsSelector: now, enrollAttributeClaimsSelector: now });
      const jwt = issuers[at]!.sign({ sub: undefined, ...claims });
      const signedIn = await server.wire('POST', jwtSignIn, { body: {}, headers: bearer(jwt) });
      expect(signedIn.status, now).toBe(200);
    }
    const shown = (await server.wire('GET', `${signersPath}/none`, { token })).body.data;
    expect(shown).not.toHaveProperty('enrollAttributeClaimsSelector');
  },
);
