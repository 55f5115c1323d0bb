import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';

const client = '/edge/client/v1';

it('a password may have 100 characters of one kind, and nothing else signs in', async () => {
  await using server = await startController({ passwordAttempts: 0 });
  const user = await server.addUser(await server.signIn());
  const { username } = user;
  const signIn = async (password: string) => {
    const body = { username, password };
    return (await server.wire('POST', `${client}/authenticate?method=password`, { body })).status;
  };
  const letters = 'qwhtxdlrzv';
  let currentPassword = user.password;
  for (const password of [letters.repeat(10), 'ü'.repeat(100), ` ${letters.repeat(6)} `]) {
    const token = await server.signIn({ username, password: currentPassword });
    const own = await server.wire('GET', `${client}/current-identity/authenticators`, { token });
    const path = `${client}/current-identity/authenticators/${own.body.data[0].id}`;
    const changed = await server.wire('PATCH', path, { token, body: { password, currentPassword } });
    expect(changed.status, changed.text).toBe(200);
    for (const other of [password.slice(0, -1), password.slice(0, 72), password.toUpperCase(), password.trim()]) {
      if (other !== password) expect(await signIn(other), other).toBe(401);
    }
    expect(await signIn(password)).toBe(200);
    currentPassword = password;
  }
});
