import { expect, it } from 'vitest';
import { createJwtIssuer } from '../../../test/support/jwt-issuer.ts';
import { defaultSettings } from '../../core/config/load.ts';
import { createLogger } from '../../core/log/create-logger.ts';
import { thisMachine } from '../../core/time/clock.ts';
import { createExternalJwts } from './external-jwts.ts';
import type { SignersOfVersion, TrustedSigner } from './trusted-signers.ts';

it('goes on with the fetch for a new signer when an older read of the signers ends after a newer one', async () => {
  await using issuer = await createJwtIssuer();
  const { issuer: name, audience, jwksEndpoint } = issuer;
  const signer = {
    id: 'new',
    enabled: true,
    issuer: name,
    audience,
    jwksEndpoint,
    claimsProperty: 'sub',
  } as TrustedSigner;
  const read = (order: number, ...signers: TrustedSigner[]): SignersOfVersion => ({
    order,
    byId: new Map(signers.map((one) => [one.id, one])),
    byIssuer: new Map(signers.map((one) => [one.issuer, one])),
  });
  const older = Promise.withResolvers<SignersOfVersion>();
  const jwts = createExternalJwts({
    signers: {
      at: async (version) => (version === '1' ? await older.promise : read(2, signer)),
      reload: async () => read(3),
    },
    settings: defaultSettings(),
    audit: { publish: async () => undefined },
    clock: Date.now,
    machine: thisMachine,
    log: createLogger({ level: 'silent' }),
    meter: null,
  });
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  issuer.serve(async (_, response) => {
    arrived.resolve();
    await released.promise;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [issuer.keys[0]?.jwk] }));
  });
  const first = jwts.find('new', '1');
  const verified = jwts.verify(issuer.sign({ sub: 'somebody' }), { version: '2' });
  await arrived.promise;
  older.resolve(read(1));
  expect(await first).toBeNull();
  released.resolve();
  expect((await verified).subject).toBe('somebody');
  jwts.close();
});
