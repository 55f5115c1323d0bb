import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { json, refuse, scriptedController } from '../../test/support/scripted-server.ts';
import { createEdgeClient, isEdgeApiError, isWrongCode } from '../index.ts';
import { clientOperations, managementOperations } from '../requests/generated/operations.ts';

const png = Buffer.from('iVBORw0KGgo=', 'base64');
const provisioningUrl = 'otpauth://totp/svc:al#ice?issuer=svc&secret=JBSWY3DPEHPK3PXP';
const wrong = {
  error: { code: 'MFA_INVALID_TOKEN', message: 'wrong 924681', requestId: 'r', cause: { value: '924681' } },
};

type Record = { isVerified: boolean } | null;

/** A controller with the TOTP of alice in a given state. */
async function enrollmentController(initial: Record) {
  let record = initial;
  return scriptedController((seen, response) => {
    const { method, headers } = seen;
    const path = seen.path.replace('/edge/client/v1/current-identity/mfa', '');
    const done = (data: unknown = {}) => json(response, 200, { data, meta: {} });
    if (path === '' && method === 'POST') {
      if (record !== null) return refuse(response, 409, 'MFA_EXISTS');
      record = { isVerified: false };
      return json(response, 201, { data: { id: 'm', _links: {} }, meta: {} });
    }
    if (record === null) return refuse(response, 404, 'NOT_FOUND');
    if (path === '/qr-code') return response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    if (path === '/verify') {
      if (seen.body === '{"code":"??????"}') return json(response, 400, wrong);
      record = { isVerified: true };
      return done();
    }
    if (['924681', '??????'].includes(String(headers['mfa-validation-code']))) return json(response, 400, wrong);
    if (seen.body === '{"code":"??????"}') return json(response, 400, wrong);
    if (path === '/recovery-codes') return done(method === 'GET' ? { recoveryCodes: ['AAAAAA'] } : {});
    if (method === 'DELETE') {
      record = null;
      return done();
    }
    return done(
      record.isVerified
        ? { isVerified: true, recoveryCodes: null }
        : { isVerified: false, recoveryCodes: ['ABCDEF'], provisioningUrl },
    );
  });
}

async function signedIn(record: Record) {
  const controller = await enrollmentController(record);
  const edge = createEdgeClient(controller.url, { retries: 2 });
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  return { controller, edge, last: () => controller.seen.at(-1) };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

test.each([
  ['a new enrollment', null],
  ['an enrollment that was started before and never verified', { isVerified: false }],
])('enroll shows what an authenticator app needs: %s', async (_name, record) => {
  const { controller, edge } = await signedIn(record);
  await using _closed = controller;
  expect(await edge.mfa.isEnabled()).toBe(false);
  const enrollment = await edge.mfa.enroll();
  expect(enrollment).toMatchObject({ provisioningUrl, secret: 'JBSWY3DPEHPK3PXP', recoveryCodes: ['ABCDEF'] });
  const image = await enrollment.qr();
  expect([image.type, Buffer.from(await image.arrayBuffer())]).toEqual(['image/png', png]);
  expect((await enrollment.verify('123456')).state).toBe('full');
  expect(controller.seen.at(-2)).toMatchObject({ method: 'POST', body: '{"code":"123456"}' });
  expect(await edge.mfa.isEnabled()).toBe(true);
});

test('enroll rejects when there is a verified TOTP, and qrCode rejects when there is no TOTP', async () => {
  const { controller, edge } = await signedIn({ isVerified: true });
  await using _closed = controller;
  expect(isEdgeApiError(await failure(edge.mfa.enroll()), 'MFA_EXISTS')).toBe(true);
  await edge.mfa.disable('123456');
  expect(isEdgeApiError(await failure(edge.client.currentIdentityMfa.qrCode()), 'NOT_FOUND')).toBe(true);
});

test('codes are sent in the header of requests without a body, and in the body of other requests', async () => {
  const { controller, edge, last } = await signedIn({ isVerified: true });
  await using _closed = controller;
  expect(await edge.mfa.recoveryCodes('123456')).toEqual(['AAAAAA']);
  expect(last()).toMatchObject({ method: 'GET', body: '', headers: { 'mfa-validation-code': '123456' } });
  expect(await edge.mfa.regenerate('123457')).toBeUndefined();
  expect(last()).toMatchObject({ method: 'POST', body: '{"code":"123457"}' });
  expect((await edge.mfa.disable('123458')).state).toBe('full');
  expect(controller.seen.at(-2)).toMatchObject({
    method: 'DELETE',
    body: '',
    headers: { 'mfa-validation-code': '123458' },
  });
});

test('an enrollment that was never verified is removed without a code', async () => {
  const { controller, edge } = await signedIn({ isVerified: false });
  await using _closed = controller;
  await edge.mfa.disable();
  expect(controller.seen.at(-2)?.headers).not.toHaveProperty('mfa-validation-code');
});

test('codes are sent without white space and in upper case', async () => {
  const { controller, edge, last } = await signedIn(null);
  await using _closed = controller;
  const { verify } = await edge.mfa.enroll();
  await verify(' 123\u00a0456\n');
  expect(controller.seen.at(-2)?.body).toBe('{"code":"123456"}');
  await edge.mfa.recoveryCodes('123 456\r\n');
  expect(last()?.headers['mfa-validation-code']).toBe('123456');
  await edge.mfa.regenerate('abc\tdef');
  expect(last()?.body).toBe('{"code":"ABCDEF"}');
  await edge.mfa.disable('\u3000abc def');
  expect(controller.seen.at(-2)?.headers['mfa-validation-code']).toBe('ABCDEF');
});

test.each(['１２３４５６', 'éééééé', '\0\0\0\0\0\0', '\ud800\ud800\ud800\ud800\ud800\ud800'])(
  'the controller refuses a code that a header cannot carry: %j',
  async (code) => {
    const { controller, edge } = await signedIn(null);
    await using _closed = controller;
    const { verify } = await edge.mfa.enroll();
    const wrongFirst = await failure(verify(code));
    await verify('123456');
    const { recoveryCodes, regenerate, disable } = edge.mfa;
    const errors = [
      wrongFirst,
      ...(await Promise.all([recoveryCodes, regenerate, disable].map((m) => failure(m(code))))),
    ];
    expect(errors.map(isWrongCode)).toEqual([true, true, true, true]);
  },
);

test('no error contains the code of the header, neither when it was refused nor when it cannot be sent', async () => {
  const { controller, edge } = await signedIn({ isVerified: true });
  await using _closed = controller;
  const refused = await failure(edge.mfa.disable('924681'));
  expect(refused).toMatchObject({ code: 'MFA_INVALID_TOKEN', cause: { value: '[redacted]' } });
  const unsendable = await failure(edge.client.currentIdentityMfa.delete({ 'mfa-validation-code': '924681\n' }));
  expect(unsendable).toBeInstanceOf(TypeError);
  expect(inspect([refused, unsendable], { depth: 20, showHidden: true })).not.toContain('924681');
});

test('a GET with a code is not retried', async () => {
  let lost = 0;
  const controller = await scriptedController((_seen, response) => {
    lost += 1;
    response.destroy();
  });
  await using _closed = controller;
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  expect(await failure(edge.mfa.recoveryCodes('123456'))).toMatchObject({ name: 'EdgeNetworkError' });
  expect(lost).toBe(1);
});

test('no GET and no DELETE of either API has a body, except where the wire wants a list', () => {
  const rows = [clientOperations, managementOperations].flatMap((table) => Object.values(table).flatMap(Object.values));
  const withBody = rows.filter(({ method, body }) => body === true && ['GET', 'DELETE'].includes(method));
  expect(withBody.map(({ path }) => path)).toEqual(['/identities/{id}/service-configs']);
});
