import { startTestController } from '@edge-controller/sdk/testing';
import { expect, it } from 'vitest';
import { eventually } from '../routers/edge-routers/eventually.ts';

it('a sign-in over a session ends the session before it, of the same and of another identity', async () => {
  await using controller = await startTestController();
  const ids = async () => (await controller.admin.management.apiSessions.list()).data.map(({ id }) => id);
  const [ada, grace] = [await controller.createIdentity(), await controller.createIdentity()];
  const edge = controller.client();
  const sessions: string[] = [];
  for (const { username, password } of [ada, ada, grace]) {
    const before = sessions.at(-1);
    const { id } = await edge.signIn.password({ username, password });
    sessions.push(id);
    await eventually(async () => expect(await ids()).not.toContain(before));
    expect((await edge.client.currentApiSession.get()).id).toBe(id);
  }
  // That of another client is not concerned.
  const other = await ada.signIn();
  await edge.signIn.password(grace);
  await other.client.currentApiSession.get();
});

it('one that is refused ends nothing', async () => {
  await using controller = await startTestController();
  const ada = await controller.createIdentity();
  const edge = await ada.signIn();
  const { id } = await edge.client.currentApiSession.get();
  await expect(edge.signIn.password({ username: ada.username, password: 'a wrong one' })).rejects.toThrow();
  expect((await edge.client.currentApiSession.get()).id).toBe(id);
});
