import type { X509Certificate } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { enrollments, inAnHour, pending } from '../support/enrollments.ts';
import { addCa, cas } from '../support/registered-cas.ts';
import { shownCertificate } from '../support/shown-certificate.ts';

describe.each(storePairs)('enrollment JWTs on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let shown: X509Certificate;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
    shown = await shownCertificate(server.url);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const header = () => ({ alg: 'ES256', typ: 'JWT', kid: shown.fingerprint.replaceAll(':', '').toLowerCase() });

  it('of a CA are raw text with the claims of the wire, whatever Accept says', async () => {
    const id = await addCa(server, token);
    for (const accept of ['application/json', '*/*', 'text/html', 'application/jwt']) {
      const answer = await server.wire('GET', `${cas}/${id}/jwt`, { token, headers: { accept } });
      expect([answer.status, answer.headers['content-type']], accept).toEqual([200, 'application/jwt']);
      const { payload, protectedHeader } = await jwtVerify(answer.text, shown.publicKey);
      expect(protectedHeader).toEqual(header());
      expect(payload).toEqual({
        ...{ iss: `${server.url}/`, sub: id, jti: id, aud: ['openziti-enroller'], em: 'ca', ctrls: null },
      });
    }
    const unknown = await server.wire('GET', `${cas}/nothing/jwt`, { token });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it.each(['ott', 'ottca', 'updb'])('of method %s verify against the certificate that TLS shows', async (method) => {
    const value = method === 'ott' ? true : method === 'ottca' ? await addCa(server, token) : 'somebody';
    const made = await pending(server, token, `by ${method}`, { [method]: value });
    const check = async ({ jwt, token: jti, expiresAt }: { jwt: string; token: string; expiresAt: string }) => {
      const { payload, protectedHeader } = await jwtVerify(jwt, shown.publicKey);
      expect(protectedHeader).toEqual(header());
      const exp = Math.floor(Date.parse(expiresAt) / 1_000);
      expect(payload).toEqual({
        ...{ iss: server.url, sub: made.identityId, aud: [''], em: method, jti, exp, ctrls: null },
      });
    };
    await check(made);
    const path = `${enrollments}/${made.id}`;
    const refreshed = await server.wire('POST', `${path}/refresh`, { token, body: { expiresAt: inAnHour() } });
    expect(refreshed.status).toBe(200);
    const { data } = (await server.wire('GET', path, { token })).body;
    await check(data);
    expect([data.token === made.token, data.method]).toEqual([false, method]);
  });
});
