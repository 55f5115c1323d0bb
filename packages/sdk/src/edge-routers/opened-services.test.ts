import { expect, test } from 'vitest';
import { unsignedJwt } from '../../test/support/unsigned-jwt.ts';
import { OpenedServices } from './opened-services.ts';

const now = 1_800_000_000_000;

/** What a controller says: the sessions, one after the other. */
function servicesWith(...sessions: { id: string; token: string; urls?: string[] }[]) {
  const asked: string[] = [];
  const parts: ConstructorParameters<typeof OpenedServices>[0] = {
    ...{ clock: () => now, timeout: 1_000 },
    async findService(name) {
      asked.push(`find ${name}`);
      return name === 'wiki' ? { id: 'wiki-id', name, encryptionRequired: true } : undefined;
    },
    edge: {
      sessions: {
        async create({ serviceId, type }) {
          asked.push(`${type} ${serviceId}`);
          const { id, token, urls = ['tls://one:1'] } = sessions.shift() ?? { id: '', token: '' };
          return { id, token, edgeRouters: urls.map((tls) => ({ supportedProtocols: { tls } })) };
        },
      },
    },
  };
  return { asked, services: new OpenedServices(parts) };
}

const [long, short] = [unsignedJwt('long', now + 60_000), unsignedJwt('short', now - 1)];

test('a service is opened once, for all that wait for it', async () => {
  const { asked, services } = servicesWith({ id: 's1', token: long });
  expect(services.isOpen('wiki', 'Dial')).toBe(false);
  const [one, other] = await Promise.all([services.open('wiki', 'Dial'), services.open('wiki', 'Dial')]);
  expect(other).toBe(one);
  expect(await services.open('wiki', 'Dial')).toBe(one);
  expect(asked).toEqual(['find wiki', 'Dial wiki-id']);
  expect(one).toEqual({
    id: 'wiki-id',
    name: 'wiki',
    isEncrypted: true,
    sessionId: 's1',
    token: long,
    urls: ['tls://one:1'],
  });
  expect([services.isOpen('wiki', 'Dial'), services.isOpen('wiki', 'Bind')]).toEqual([true, false]);
});

test('a session that does not work is replaced once, whoever notices it', async () => {
  const { asked, services } = servicesWith({ id: 's1', token: long }, { id: 's2', token: short });
  const before = await services.open('wiki', 'Bind');
  const renewed = await Promise.all([services.renew('wiki', 'Bind', before), services.renew('wiki', 'Bind', before)]);
  expect(renewed.map(({ token }) => token)).toEqual([short, short]);
  expect(await services.open('wiki', 'Bind')).toBe(renewed[0]);
  expect(asked).toHaveLength(4);
});

test('the first token of a session is kept while it is valid, and the routers are the new ones', async () => {
  const second = { id: 's1', token: unsignedJwt('second'), urls: ['tls://two:2', 'tls://two:2', 'wss://three:3'] };
  const kept = servicesWith({ id: 's1', token: long }, second);
  const before = await kept.services.open('wiki', 'Dial');
  expect(await kept.services.renew('wiki', 'Dial', before)).toMatchObject({ token: long, urls: ['tls://two:2'] });
  const expired = servicesWith({ id: 's1', token: short }, second);
  const old = await expired.services.open('wiki', 'Dial');
  expect(await expired.services.renew('wiki', 'Dial', old)).toMatchObject({ token: second.token });
});

test('a failure is not remembered', async () => {
  const { asked, services } = servicesWith();
  for (const _ of [1, 2]) {
    await expect(services.open('unknown', 'Dial')).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
  }
  expect(asked).toEqual(['find unknown', 'find unknown']);
});
