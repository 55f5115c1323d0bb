import type { EdgeClient } from '@edge-controller/sdk';
import { isEdgeApiError, isEdgeAuthQueryError } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

const change = { currentPassword: adminCredentials.password, password: 'a password of my own' };

const clientOf = (server: TestController): EdgeClient => createEdgeClient(server.url, { caFile: server.caFile });

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

describe.each(storePairs)('the query for a new password with the SDK against $stores', ({ open }) => {
  it('is answered during the sign-in, or later, and says what is wrong with the new one', async () => {
    await using server = await startController({ ...(await open()), changeInitialPasswords: true });
    const edge = clientOf(server);
    const partial = await edge.signIn.password(adminCredentials);
    expect(partial).toMatchObject({ state: 'partial', authQueries: [{ typeId: 'NEW-PASSWORD' }] });
    const same = await failure(edge.answer.newPassword({ ...change, password: change.currentPassword }));
    expect(isEdgeApiError(same, 'COULD_NOT_VALIDATE') && same.cause?.field).toBe('password');
    const wrong = await failure(edge.answer.newPassword({ ...change, currentPassword: 'another password' }));
    expect(isEdgeApiError(wrong, 'UNAUTHORIZED') && wrong.cause?.field).toBe('currentPassword');
    for (const error of [same, wrong]) {
      expect(JSON.stringify(error)).not.toMatch(new RegExp(Object.values(change).join('|')));
    }
    expect(edge.session?.state).toBe('partial');

    const other = clientOf(server);
    const asked: string[] = [];
    const session = await other.signIn.password(adminCredentials, {
      onAuthQuery: (query, answer) => {
        asked.push(query.typeId);
        return query.typeId === 'NEW-PASSWORD' && answer.newPassword(change);
      },
    });
    expect([session.state, asked]).toEqual(['full', ['NEW-PASSWORD']]);
    expect((await other.management.identities.list()).data).toHaveLength(1);
    // Whoever else knew the password is out.
    expect(isEdgeApiError(await failure(edge.answer.newPassword(change)), 'UNAUTHORIZED')).toBe(true);

    await edge.signIn.password({ ...adminCredentials, password: change.password });
    expect(edge.session?.state).toBe('full');
    expect(isEdgeAuthQueryError(await failure(edge.answer.newPassword(change)), 'NOT_ASKED')).toBe(true);
    for (const client of [edge, other]) client.dispose();
  });
});
