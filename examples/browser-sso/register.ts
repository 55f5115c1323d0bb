import { randomUUID } from 'node:crypto';
import type { EdgeClient } from '@edge-controller/sdk';
import { clientId } from './provider.ts';

/** All names that this example gives begin with this text. */
const prefix = 'browser-sso example';

/** A person who signs in with a password and needs the provider as a second factor. */
interface Person {
  readonly username: string;
  readonly password: string;
}

/**
 * Registers the provider as a signer, and two people: `ada` signs in through the provider, and `grace` with a password
 * and through the provider.
 */
export async function register(admin: EdgeClient, issuer: string): Promise<Person> {
  const { externalJwtSigners, identities } = admin.management;
  const { id: signerId } = await externalJwtSigners.create({
    ...{ name: `${prefix} provider`, issuer, jwksEndpoint: `${issuer}/jwks`, enabled: true },
    // An id token is for its client. It names the person in the claim `sub`, the external id of the identity.
    ...{ audience: clientId, claimsProperty: '/sub', useExternalId: true },
    // What the page needs to send people to the provider.
    ...{ externalAuthUrl: issuer, clientId, scopes: ['openid', 'offline_access'], targetToken: 'ID' },
  });
  const externalId = 'ada';
  const authPolicyId = await addPolicy(admin, { name: `${prefix} sign-in`, signers: [signerId] });
  await identities.create({ ...{ name: `${prefix} Ada`, type: 'User', isAdmin: false }, externalId, authPolicyId });
  return addGrace(admin, await addPolicy(admin, { name: `${prefix} second factor`, signers: [], factor: signerId }));
}

/** Deletes what `register` has created, also in an earlier run. */
export async function unregister(admin: EdgeClient): Promise<void> {
  const { externalJwtSigners, identities, authPolicies } = admin.management;
  for (const { list, delete: remove } of [identities, authPolicies, externalJwtSigners]) {
    const { data } = await list({ filter: `name contains "${prefix}"` });
    for (const { id, name } of data) if (name.startsWith(prefix)) await remove(id);
  }
}

interface Policy {
  readonly name: string;
  /** Signers whose JWTs sign in. Without any, a password signs in. */
  readonly signers: string[];
  /** The signer whose JWT is a second factor. */
  readonly factor?: string;
}

async function addPolicy(admin: EdgeClient, { name, signers, factor }: Policy): Promise<string> {
  const { id } = await admin.management.authPolicies.create({
    name,
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: signers.length > 0, allowedSigners: signers },
      updb: {
        ...{ allowed: signers.length === 0, minPasswordLength: 12, maxAttempts: 5, lockoutDurationMinutes: 5 },
        ...{ requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false },
      },
    },
    secondary: { requireTotp: false, requireExtJwtSigner: factor },
  });
  return id;
}

async function addGrace(admin: EdgeClient, authPolicyId: string): Promise<Person> {
  const [username, password] = ['browser-sso-grace', randomUUID()];
  const { id } = await admin.management.identities.create({
    ...{ name: `${prefix} Grace`, type: 'User', isAdmin: false, externalId: 'grace', authPolicyId },
    enrollment: { updb: username },
  });
  const { jwt = '' } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
  await admin.enroll({ jwt }, { password });
  return { username, password };
}
