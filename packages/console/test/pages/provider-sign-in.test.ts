import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenidProvider } from '../../../../examples/browser-sso/provider.ts';
import { clientId, startProvider } from '../../../../examples/browser-sso/provider.ts';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, pressIfThere, signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
let provider: OpenidProvider;
let signerId: string;

beforeAll(async () => {
  run = await startConsole();
  provider = await startProvider({ port: 0, page: `${run.address}signed-in` });
  const { issuer } = provider;
  const { id } = await run.controller.admin.management.externalJwtSigners.create({
    ...{ name: 'Example provider', issuer, jwksEndpoint: `${issuer}/jwks`, enabled: true, audience: clientId },
    ...{ claimsProperty: '/sub', useExternalId: true, externalAuthUrl: issuer, clientId, targetToken: 'ID' },
  });
  signerId = id;
});
afterAll(async () => {
  await provider.close();
  await run[Symbol.asyncDispose]();
});

/** An auth policy that accepts the tokens of the provider alone, or passwords and the provider as a second factor. */
async function policyWith(isSecondFactor: boolean): Promise<string> {
  const { authPolicies } = run.controller.admin.management;
  const { primary } = await authPolicies.get('default');
  const extJwt = isSecondFactor ? primary.extJwt : { allowed: true, allowedSigners: [signerId] };
  const { id } = await authPolicies.create({
    ...{ name: crypto.randomUUID(), primary: { ...primary, extJwt } },
    secondary: { requireTotp: false, ...(isSecondFactor && { requireExtJwtSigner: signerId }) },
  });
  return id;
}

/** The provider of the tests has no TLS, so the policy of the console for its pages would stop what they ask it. */
const withoutPolicy = { bypassCSP: true };

/** Signs in at the provider, in the window that the page opens. An empty name cancels. */
async function continueAtProvider(page: Page, name: string): Promise<void> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Continue with Example provider' }).click();
  const window = await opened;
  const closed = window.waitForEvent('close');
  if (name === '') await window.getByRole('button', { name: 'Cancel' }).click();
  else {
    await window.getByLabel('Name').fill(name);
    await window.getByRole('button', { name: 'Sign in' }).click();
  }
  await closed;
}

it('signs in at the provider of a signer, in a window that closes by itself', async () => {
  await run.controller.createIdentity({ name: 'Ada', externalId: 'ada', authPolicyId: await policyWith(false) });
  const page = await run.open('entities/identities', withoutPolicy);
  await continueAtProvider(page, '');
  await page.getByText('You have not signed in at the provider.').waitFor();
  await expectAccessible(page);
  await continueAtProvider(page, 'nobody');
  await page.getByText('nobody here is the person in it').waitFor();
  await continueAtProvider(page, 'ada');
  await page.getByRole('button', { name: 'Ada' }).waitFor();
  expect(page.url()).toBe(`${run.address}entities/identities`);
  expect(await page.evaluate('Object.values(sessionStorage).concat(Object.values(localStorage)).join()')).not.toContain(
    'eyJ',
  );
});

it('waits for the provider until the person cancels, and takes no address of another sign-in', async () => {
  const page = await run.open('', withoutPolicy);
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Continue with Example provider' }).click();
  const window = await opened;
  await page.getByText('Go on in the window of Example provider.').waitFor();
  await expectAccessible(page);
  await window.goto(`${run.address}signed-in?code=x&state=y`);
  await window.getByRole('heading', { name: 'Go on in the other window' }).waitFor();
  expect(window.url()).toBe(`${run.address}signed-in`);
  await page.getByText('Go on in the window of Example provider.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Continue with Example provider' }).waitFor();
});

it('confirms a password at the provider, and keeps the pages of a session that has ended meanwhile', async () => {
  const authPolicyId = await policyWith(true);
  const grace = await run.controller.createIdentity({ name: 'Grace', externalId: 'grace', authPolicyId });
  const page = await run.open('account', withoutPolicy);
  await signIn(page, grace);
  await page.getByText('Example provider must confirm who you are.').waitFor();
  await continueAtProvider(page, 'ada');
  await page.getByText('it is of another signer, or of somebody else').waitFor();
  await continueAtProvider(page, 'grace');
  const field = page.getByLabel('New password', { exact: true });
  await field.fill('half of a pass');
  await page.getByRole('button', { name: 'Set it up' }).waitFor();
  await run.controller.revokeSessions(grace);
  await pressIfThere(page, 'Set it up');
  await signIn(page.getByRole('dialog', { name: 'Your session has ended' }), grace);
  await page.getByText('Example provider must confirm who you are.').waitFor();
  // The provider still knows who it is.
  await page.getByRole('button', { name: 'Continue with Example provider' }).click();
  await page.getByRole('dialog', { name: 'One more step' }).waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('half of a pass');
});
