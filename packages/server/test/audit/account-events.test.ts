import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';

const client = '/edge/client/v1';
const management = '/edge/management/v1';
const newPassword = 'rehearse the zebra';

/** Without times. */
async function eventsOf(server: TestController, token: string) {
  const { status, body } = await server.wire('GET', `${client}/current-identity/events`, { token });
  expect(status).toBe(200);
  return body.data.map(({ createdAt, ...event }: { readonly createdAt: string }) => {
    expect(Date.parse(createdAt)).toBeGreaterThan(0);
    return event;
  });
}

describe.each(storePairs)('what happened to an account, on $stores', ({ open }) => {
  it('is shown to its owner: sign-ins, refused ones too, and changes by others', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const [user, other] = [await server.addUser(admin), await server.addUser(admin)];
    const wrong = { username: user.username, password: 'nobody has this one' };
    await server.wire('POST', `${client}/authenticate?method=password`, { body: wrong });
    await server.wire('POST', `${client}/authenticate?method=password`, {
      body: { ...wrong, username: other.username },
    });
    await server.signIn(user);
    const list = await server.wire('GET', `${management}/authenticators?filter=identity="${user.id}"`, {
      token: admin,
    });
    const path = `${management}/authenticators/${list.body.data[0].id}`;
    const changed = await server.wire('PATCH', path, { token: admin, body: { password: newPassword } });
    expect(changed.status, changed.text).toBe(200);
    const token = await server.signIn({ ...user, password: newPassword });

    const own = { byOwner: true, ipAddress: '127.0.0.1' };
    const byAdministrator = { outcome: 'success', byOwner: false, ipAddress: null };
    expect(await eventsOf(server, token)).toEqual([
      { event: 'authentication.succeeded', outcome: 'success', ...own },
      { event: 'password.changed', ...byAdministrator },
      { event: 'entity.updated', ...byAdministrator },
      { event: 'authentication.succeeded', outcome: 'success', ...own },
      { event: 'authentication.failed', outcome: 'failure', byOwner: false, ipAddress: '127.0.0.1' },
      { event: 'enrollment.redeemed', outcome: 'success', ...own },
      { event: 'entity.created', outcome: 'success', byOwner: false, ipAddress: '127.0.0.1' },
    ]);
  });

  it('are the newest 50, and nothing of anybody else', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const [user, other] = [await server.addUser(admin), await server.addUser(admin)];
    const token = await server.signIn(user);
    for (let count = 0; count < 55; count++) await server.signIn(user);
    expect((await eventsOf(server, token)).length).toBe(50);
    const others = await eventsOf(server, await server.signIn(other));
    expect(others.filter(({ event }: { readonly event: string }) => event === 'authentication.succeeded').length).toBe(
      1,
    );
    expect((await server.wire('GET', `${client}/current-identity/events`)).status).toBe(401);
  });
});
