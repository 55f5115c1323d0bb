import { describe, expect } from 'vitest';
import { startApp } from './app.ts';
import { test } from './vitest-fixture.ts';

async function submit(url: string, form: Record<string, string>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  return response.text();
}

describe('the application', () => {
  test('counts the sensors for an administrator', async ({ controller }) => {
    const app = await startApp(controller);
    const { username, password } = await controller.createIdentity({ isAdmin: true });
    await controller.createIdentity({ type: 'Device', roleAttributes: ['sensor'], password: null });
    expect(await submit(app.url, { username, password })).toContain('There are 1 sensors');
    app.close();
  });

  test('refuses a wrong password', async ({ controller }) => {
    const app = await startApp(controller);
    const { username } = await controller.createIdentity({ isAdmin: true });
    expect(await submit(app.url, { username, password: 'a guess' })).toContain('Wrong user name or password');
    app.close();
  });

  test('leaves no API session behind', async ({ controller }) => {
    const app = await startApp(controller);
    const { id, username, password } = await controller.createIdentity({ isAdmin: true });
    await submit(app.url, { username, password });
    expect((await controller.admin.management.identities.get(id)).hasApiSession).toBe(false);
    app.close();
  });
});
