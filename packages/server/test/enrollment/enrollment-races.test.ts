import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { everyStorePair, startController } from '../support/controller.ts';
import { enrollments, identities, inAnHour, pending, redeem } from '../support/enrollments.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { sql } from '../support/sql.ts';

describe.each(everyStorePair)('enrollments on $stores', ({ open }) => {
  it('are either refreshed or redeemed, never both', async () => {
    useSlowHashes();
    await using server = await startController(await open());
    const token = await server.signIn();
    const outcomes: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const { id, token: secret } = await pending(server, token, `contested-${round}`);
      const refresh = async () => {
        await sleep(round * 8);
        return await server.wire('POST', `${enrollments}/${id}/refresh`, { token, body: { expiresAt: inAnHour() } });
      };
      const [redeemed, refreshed] = await Promise.all([redeem(server, secret), refresh()]);
      const isRedeemed = redeemed.status === 200;
      expect(refreshed.status, refreshed.text).toBe(isRedeemed ? 404 : 200);
      if (!isRedeemed) expect(redeemed.body.error.code).toBe('INVALID_ENROLLMENT_TOKEN');
      const left = await server.wire('GET', `${enrollments}/${id}`, { token });
      expect(left.status).toBe(isRedeemed ? 404 : 200);
      outcomes.push(isRedeemed ? 'redeemed' : 'refreshed');
    }
    expect(outcomes).toContain('refreshed');
  });

  it('have one token after many refreshes, deletions and a deletion of the identity at once', async () => {
    useSlowHashes();
    await using server = await startController(await open());
    const token = await server.signIn();
    const { id, identityId } = await pending(server, token, 'busy');
    const path = `${enrollments}/${id}`;
    const refresh = () => server.wire('POST', `${path}/refresh`, { token, body: { expiresAt: inAnHour() } });
    const refreshed = await Promise.all(Array.from({ length: 20 }, refresh));
    expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await sql(server, 'select 1 from "enrollmentTokens"')).toHaveLength(1);
    const { data } = (await server.wire('GET', path, { token })).body;
    expect((await server.wire('GET', `${identities}/${identityId}/enrollments`, { token })).body.data).toEqual([data]);
    const ends = await Promise.all([
      ...Array.from({ length: 5 }, refresh),
      server.wire('DELETE', path, { token }),
      server.wire('DELETE', `${identities}/${identityId}`, { token }),
      ...Array.from({ length: 5 }, refresh),
      redeem(server, data.token),
    ]);
    expect(ends.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
    expect((await server.wire('GET', path, { token })).status).toBe(404);
    expect(await sql(server, 'select 1 from "enrollmentTokens"')).toEqual([]);
  });
});
