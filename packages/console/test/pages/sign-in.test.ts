import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

/** An auth policy like `default` that asks for a second factor. */
async function policyWith(secondary: { requireTotp: boolean; requireExtJwtSigner?: string }): Promise<string> {
  const { authPolicies } = run.controller.admin.management;
  const { primary } = await authPolicies.get('default');
  const { id } = await authPolicies.create({ name: crypto.randomUUID(), primary, secondary });
  return id;
}

it('keeps what was typed when the controller refuses, and says how long to wait', async () => {
  const page = await run.open();
  await signIn(page, { username: 'nobody', password: 'wrong password' });
  await page.getByRole('alert').getByText('User name or password are not right.').waitFor();
  expect(await page.getByLabel('User name').inputValue()).toBe('nobody');
  expect(await page.getByLabel('Password').inputValue()).toBe('wrong password');
  await page.route('**/authenticate?**', (route) =>
    route.fulfill({
      ...{ status: 429, headers: { 'retry-after': '600' } },
      json: { error: { code: 'SERVER_TOO_MANY_REQUESTS', message: 'Too many', requestId: '1' }, meta: {} },
    }),
  );
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').getByText('Too many attempts. Try again in 10 minutes.').waitFor();
  await page.route('**/authenticate?**', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').getByText('The controller cannot be reached.').waitFor();
});

it('hides the password, lets people paste it, and tells password managers what it is', async () => {
  const page = await run.open();
  const password = page.getByLabel('Password');
  expect(await password.getAttribute('type')).toBe('password');
  expect(await password.getAttribute('autocomplete')).toBe('current-password');
  expect(await page.getByLabel('User name').getAttribute('autocomplete')).toBe('username');
  const paste = "new ClipboardEvent('paste', { bubbles: true, cancelable: true })";
  const takesPaste = await page.evaluate(`document.querySelector('[type=password]').dispatchEvent(${paste})`);
  expect(takesPaste).toBe(true);
});

it('asks for a code of the authenticator app, or a recovery code', async () => {
  const grace = await run.controller.createIdentity({ name: 'Grace' });
  const { recoveryCodes, provisioningUrl, verify } = await (await grace.signIn()).mfa.enroll();
  await verify(run.controller.totp(provisioningUrl));
  const page = await run.open();
  await signIn(page, grace);
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The code is wrong, or it was used already. 9 more tries are left.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await signIn(page, grace);
  await page.getByLabel('Code').fill(run.controller.totp(provisioningUrl));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('banner').waitFor();
  await page.getByRole('button', { name: 'Grace' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await signIn(page, grace);
  await page.getByLabel('Code').fill(recoveryCodes[0]?.toLowerCase() ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('banner').waitFor();
});

it('enrolls an authenticator app when the auth policy asks for one', async () => {
  const authPolicyId = await policyWith({ requireTotp: true });
  const joan = await run.controller.createIdentity({ name: 'Joan', authPolicyId });
  const page = await run.open();
  await signIn(page, joan);
  await page.getByRole('heading', { name: 'Set up an authenticator app' }).waitFor();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await expectAccessible(page);
  const secret = (await page.locator('.totp-key code').textContent()) ?? '';
  expect(await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count()).toBeGreaterThan(5);
  await page.getByLabel('Code', { exact: true }).fill('123');
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('The code is wrong').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(run.controller.totp(secret));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByRole('banner').waitFor();
});

it('asks for a new password in place of one that an administrator has set', async () => {
  const changing = await startConsole({ changeInitialPasswords: true });
  await using _ = changing;
  const { username, password } = changing.controller.adminCredentials;
  const page = await changing.open();
  await signIn(page, { username, password });
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await expectAccessible(page);
  const submit = page.getByRole('button', { name: 'Continue' });
  const fill = async (current: string, next: string, again = next) => {
    await page.getByLabel('Current password').fill(current);
    await page.getByLabel('New password', { exact: true }).fill(next);
    await page.getByLabel('New password again').fill(again);
    await submit.click();
  };
  await fill(password, 'a password of my own', 'another one');
  await page.getByText('This is not the same password.').waitFor();
  await fill('not the present one', 'a password of my own');
  await page.getByText('invalid current password').waitFor();
  await fill(password, password);
  await page.getByText('should be another one than before').waitFor();
  await fill(password, 'a password of my own');
  await page.getByRole('banner').waitFor();
});

it('signs in with a pasted token, and says why one is refused', async () => {
  const issuer = await run.controller.jwtIssuer();
  const { id } = await run.controller.createIdentity({ name: 'Mary', authPolicyId: issuer.authPolicyId });
  const page = await run.open();
  await page.getByRole('button', { name: 'Use a token' }).click();
  const field = page.getByLabel('Token');
  const submit = page.getByRole('button', { name: 'Sign in with the token' });
  for (const [token, reason] of [
    ['no token', 'This is not a JWT.'],
    [issuer.sign({ sub: 'nobody' }), 'nobody here is the person in it'],
    [issuer.sign({ sub: id, exp: 1 }), 'The token has expired.'],
    [issuer.sign({ sub: id, aud: 'another' }), 'its audience or its dates are wrong'],
  ] as const) {
    await field.fill(token);
    await submit.click();
    await page.getByText(reason).waitFor();
  }
  await expectAccessible(page);
  await field.fill(`${issuer.sign({ sub: id })}\n`);
  await submit.click();
  await page.getByRole('button', { name: 'Mary' }).waitFor();
});

it('asks for the token of a signer as a second factor', async () => {
  const issuer = await run.controller.jwtIssuer();
  const authPolicyId = await policyWith({ requireTotp: false, requireExtJwtSigner: issuer.id });
  const katherine = await run.controller.createIdentity({ name: 'Katherine', authPolicyId });
  const page = await run.open();
  await signIn(page, katherine);
  await page.getByLabel('Token').fill(issuer.sign({ sub: 'somebody else' }));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('it is of another signer, or of somebody else').waitFor();
  await page.getByLabel('Token').fill(issuer.sign({ sub: katherine.id }));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Katherine' }).waitFor();
});

it('says what to do when the browser has no certificate', async () => {
  const page = await run.open();
  await page.getByRole('button', { name: 'Use a client certificate' }).click();
  await page.getByRole('button', { name: 'Sign in with a certificate' }).click();
  await page.getByRole('alert').getByText('The browser has sent no certificate').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use a password' }).click();
  await page.getByLabel('Password').waitFor();
});

it('signs in with the certificate that the browser shows', async () => {
  const { controller } = run;
  const dorothy = await controller.createIdentity({ name: 'Dorothy', password: null });
  const { cert, key } = await controller.clientCertificate(dorothy);
  const page = await run.open('', {
    clientCertificates: [{ origin: controller.url, cert: Buffer.from(cert), key: Buffer.from(key) }],
    // Playwright makes the TLS connection in the place of the browser, and shows it a certificate of its own.
    ignoreHTTPSErrors: true,
  });
  await page.getByRole('button', { name: 'Use a client certificate' }).click();
  await page.getByRole('button', { name: 'Sign in with a certificate' }).click();
  await page.getByRole('button', { name: 'Dorothy' }).waitFor();
});
