import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { addSigner, signersPath } from '../support/external-jwt-signers.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

it.each(places)(
  'signers and identities of the version before ask for nothing, and can, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    const made = '2024-02-03T04:05:06.789Z';
    {
      await using old = await openOldDatabase(options, '0024-password-delays');
      await old.insert('externalJwtSigners', {
        ...{
          id: 'old',
          createdAt: made,
          updatedAt: made,
          tags: '{}',
          name: 'old',
          enabled: 1,
          issuer: 'i',
          audience: 'a',
        },
        ...{
          jwksEndpoint: 'https://keys.example/',
          certPem: null,
          kid: null,
          claimsProperty: '/sub',
          useExternalId: 1,
        },
        ...{ externalAuthUrl: null, clientId: null, scopes: null, targetToken: 'ACCESS', enrollToCertEnabled: null },
        ...{ enrollToTokenEnabled: 1, enrollAuthPolicyId: 'default', enrollNameClaimsSelector: '/sub' },
        ...{ enrollAttributeClaimsSelector: null, commonName: '', fingerprint: null, notBefore: made, notAfter: made },
        ...{ authVersion: 0 },
      });
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const read = async (path: string) => (await server.wire('GET', path, { token })).body.data;
    expect(await read(`${signersPath}/old`)).not.toHaveProperty('requiredAcr');
    expect(await read(`${signersPath}/old`)).not.toHaveProperty('sessionsEndAt');
    const ending = { token, body: { sessionsEndAt: 'EXP', enrollToTokenEnabled: false } };
    const ended = await server.wire('PATCH', `${signersPath}/old`, ending);
    expect(ended.status, ended.text).toBe(200);
    expect(await read(`${signersPath}/old`)).toMatchObject({ sessionsEndAt: 'EXP' });
    const anna = '/edge/management/v1/identities/anna';
    expect(await read(anna)).not.toHaveProperty('externalIdSignerId');
    const signerId = await addSigner(server, token, { requiredAmr: ['otp'] });
    const body = { externalIdSignerId: signerId };
    expect((await server.wire('PATCH', anna, { token, body })).status).toBe(200);
    expect(await read(anna)).toMatchObject(body);
  },
);
