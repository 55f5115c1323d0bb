import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audience, openidProvider } from '../../sdk/test/support/openid-provider.ts';
import { createEdge } from './support/edge.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
let provider: Awaited<ReturnType<typeof openidProvider>>;

beforeAll(async () => {
  controller = await startTestController();
  provider = await openidProvider();
  const { externalJwtSigners, authPolicies, identities } = controller.admin.management;
  const { issuer } = provider;
  const signer = await externalJwtSigners.create({
    ...{ name: 'provider', enabled: true, issuer, audience, jwksEndpoint: `${issuer}/jwks` },
    ...{ externalAuthUrl: issuer, clientId: 'terminal', useExternalId: true },
  });
  const updb = { minPasswordLength: 5, requireSpecialChar: false, requireNumberChar: false, requireMixedCase: false };
  const policy = await authPolicies.create({
    name: 'provider alone',
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      updb: { allowed: false, ...updb, maxAttempts: 0, lockoutDurationMinutes: 0 },
      extJwt: { allowed: true, allowedSigners: [signer.id] },
    },
    secondary: { requireTotp: false },
  });
  const ada = { name: 'Ada', type: 'User', isAdmin: false, externalId: 'ada' } as const;
  await identities.create({ ...ada, authPolicyId: policy.id });
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
});

const login = (...options: string[]) => [
  ...['login', controller.url, '--ca', controller.caFile],
  ...['--resource', audience, ...options],
];

/** The pages of the provider at which a person enters the code of a device. */
async function approve(address: string): Promise<string> {
  const cookies = new Map<string, string>();
  let [url, form] = [new URL(address), null as URLSearchParams | null];
  for (let pages = 0; pages < 12; pages += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = form === null ? {} : { method: 'POST', body: form };
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...sent });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const html = await response.text();
    const inputs = [...html.matchAll(/<input[^>]*name="(\w+)"[^>]*value="([^"]*)"/g)];
    const next = response.headers.get('location') ?? /action="([^"]+)"/.exec(html)?.[1];
    if (next === undefined) return html;
    url = new URL(next.replaceAll('&amp;', '&'), url);
    const members = inputs.map(([, name = '', value = '']): [string, string] => [name, value]);
    form = response.headers.has('location') ? null : new URLSearchParams(members);
  }
  throw new Error('the provider asks without an end');
}

describe('a sign-in at the provider of a signer', () => {
  it('in the browser comes back to a port of this machine', async () => {
    const edge = createEdge();
    const seen = Promise.withResolvers<string>();
    const running = edge.run(login('--browser', '--no-open'), {
      onErrorOutput: (stderr) => seen.resolve(/browser: (\S+)/.exec(stderr)?.[1] ?? ''),
    });
    const address = new URL(await seen.promise);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    const redirectUri = address.searchParams.get('redirect_uri') ?? '';
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    // Somebody else's code is no answer.
    expect((await fetch(`${redirectUri}?code=x&state=y`)).status).toBe(404);
    await fetch(await provider.visit(address, redirectUri));
    expect(await running).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('as Ada') });
    expect(await edge.ok(['whoami', '-q', '--columns', 'identity.name,state'])).toBe('Ada\tfull');
  });

  it('on another device waits for its code', async () => {
    const edge = createEdge();
    const seen = Promise.withResolvers<string>();
    const running = edge.run(login('--device', '--signer', 'provider'), {
      onErrorOutput: (stderr) => {
        const [, address] = /or open (\S+)/.exec(stderr) ?? [];
        if (address) seen.resolve(address);
      },
    });
    await approve(await seen.promise);
    expect(await running).toMatchObject({ code: 0, stderr: expect.stringContaining('as Ada') });
  });

  it('needs a signer that has a provider', async () => {
    const edge = createEdge();
    const done = await edge.run(login('--browser', '--signer', 'other'));
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('clientId: provider') });
    const both = await edge.run(login('--browser', '--device'));
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--browser and --device: use one of them') });
  });
});
