import { describe, expect, it, vi } from 'vitest';
import type { StoredEntry } from '../../src/audit/entry.ts';
import { firstHash, hashOf } from '../../src/audit/entry.ts';
import type { ControllerOptions } from '../../src/index.ts';
import { createLogger } from '../../src/index.ts';
import { entriesOf } from '../support/audit.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, sharedStores, startController, storePairs } from '../support/controller.ts';
import { LogReceiver } from '../support/log-receiver.ts';
import { readMetrics } from '../support/metrics.ts';

vi.setConfig({ testTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 50 };
const silent = { auditPushUrl: null };

const sequences = ({ entries }: LogReceiver) => entries.map(({ sequence }) => sequence);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
const unique = (receiver: LogReceiver) => [...new Set(sequences(receiver))].sort((a, b) => a - b);

async function lastOf(server: TestController, token: string): Promise<number> {
  return (await entriesOf(server, token)).at(-1)?.sequence ?? 0;
}

/** Waits until the receiver has all entries of the log. */
async function caughtUp(receiver: LogReceiver, last: number): Promise<void> {
  await expect.poll(() => Math.max(0, ...sequences(receiver)), patience).toBeGreaterThanOrEqual(last);
}

describe.each(storePairs)('the audit log, pushed, on $stores', ({ open }) => {
  it('is received as a whole, in its order, as a chain that can be verified, without secrets', async () => {
    await using receiver = await new LogReceiver().start();
    const auditPushHeaders = 'authorization=Bearer of-the-receiver,x-tenant=a=b';
    const push = { auditPushUrl: receiver.url, auditPushHeaders };
    const server = await startController({ ...(await open()), ...push });
    const token = await server.signIn();
    await server.addUser(token);
    await caughtUp(receiver, await lastOf(server, token));
    await server[Symbol.asyncDispose]();
    expect(receiver.entries.at(-1)?.event).toBe('controller.stopped');
    expect(sequences(receiver)).toEqual(upTo(receiver.entries.length));
    let before = firstHash;
    for (const entry of receiver.entries as unknown as (StoredEntry & { details: object })[]) {
      expect(hashOf(before, { ...entry, details: JSON.stringify(entry.details) })).toBe(entry.hash);
      before = entry.hash;
    }
    expect(receiver.headers).toMatchObject({ authorization: 'Bearer of-the-receiver', 'x-tenant': 'a=b' });
    for (const secret of [token, adminCredentials.password, 'of-the-receiver'])
      expect(receiver.text).not.toContain(secret);
    expect(receiver.text).toContain('"service.name"');
  });

  it('loses nothing while the receiver answers 500 or hangs, is away and comes back; the controller goes on', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    await using receiver = await new LogReceiver().start();
    receiver.misbehave = (response) => void response.writeHead(500).end('x'.repeat(1_000_000));
    const options = { ...(await open()), log, auditPushUrl: receiver.url, operationsBind: '127.0.0.1:0' };
    const server = await startController(options);
    const token = await server.signIn();
    await expect.poll(() => receiver.requests, patience).toBeGreaterThan(1);
    await server.addUser(token);
    const metrics = await readMetrics(server.operationsUrl);
    expect(metrics.get('edge_audit_push_waiting')).toBeGreaterThan(0);
    receiver.misbehave = (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    const redirected = receiver.requests;
    await expect.poll(() => receiver.requests, patience).toBeGreaterThan(redirected);
    receiver.misbehave = () => undefined;
    const hung = receiver.requests;
    await expect.poll(() => receiver.requests, patience).toBeGreaterThan(hung);
    const startedAt = performance.now();
    await server.addUser(token);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await receiver.stop();
    receiver.misbehave = null;
    await receiver.start();
    await caughtUp(receiver, await lastOf(server, token));
    expect(unique(receiver)).toEqual(upTo(Math.max(...sequences(receiver))));
    await server[Symbol.asyncDispose]();
    const warnings = lines.filter((line) => line.includes('the audit log cannot be pushed'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/answered 500/);
    expect(lines.join('')).toContain('the audit log is pushed again');
  });

  it('goes on behind what was received after a restart, also one that came half-way', async () => {
    await using receiver = await new LogReceiver().start();
    const push: ControllerOptions = { auditPushUrl: receiver.url };
    const first = await startController({ ...(await open()), ...silent });
    const token = await first.signIn();
    for (let at = 0; at < 20; at++) await first.addUser(token);
    await first.controller.close();
    // Takes one request, and ends before the answer to the next.
    receiver.misbehave = null;
    const second = await startController({ ...first.options, ...push });
    await expect.poll(() => receiver.entries.length, patience).toBeGreaterThan(0);
    receiver.misbehave = (response) => response.destroy();
    await second.addUser(await second.signIn());
    await second.controller.close();
    receiver.misbehave = null;
    const before = receiver.entries.length;
    await using third = await startController({ ...first.options, ...push });
    await caughtUp(receiver, await lastOf(third, await third.signIn()));
    expect(unique(receiver)).toEqual(upTo(Math.max(...sequences(receiver))));
    expect(
      sequences(receiver)
        .slice(before)
        .every((sequence) => sequence >= before),
    ).toBe(true);
  });

  it('takes smaller steps when the receiver finds requests too large', async () => {
    await using receiver = await new LogReceiver().start();
    const first = await startController({ ...(await open()), ...silent });
    const token = await first.signIn();
    for (let at = 0; at < 10; at++) await first.addUser(token);
    await first.controller.close();
    let refusals = 0;
    receiver.misbehave = (response) => {
      refusals += 1;
      if (refusals === 3) receiver.misbehave = null;
      response.writeHead(413).end();
    };
    await using server = await startController({ ...first.options, auditPushUrl: receiver.url });
    await caughtUp(receiver, await lastOf(server, await server.signIn()));
    expect(receiver.sizes[0]).toBeLessThanOrEqual(62);
    expect(unique(receiver)).toEqual(upTo(Math.max(...sequences(receiver))));
  });
});

describe('controllers that share their stores', () => {
  it('push each entry once, and one of them goes on for the other', async () => {
    const shared = sharedStores;
    await using receiver = await new LogReceiver().start();
    // Longer than the other controller waits for its next look.
    receiver.delay = 2_500;
    const push = { auditPushUrl: receiver.url };
    const first = await startController({ ...(await shared.open()), ...push });
    const second = await startController(first.options);
    const token = await first.signIn();
    for (let at = 0; at < 20; at++) await (at % 2 ? first : second).addUser(token);
    await caughtUp(receiver, await lastOf(first, token));
    expect(sequences(receiver)).toEqual(upTo(receiver.entries.length));
    receiver.delay = 0;
    await expect.poll(() => receiver.answered, patience).toBe(receiver.requests);
    await first.controller.close();
    await second.addUser(token);
    await caughtUp(receiver, await lastOf(second, token));
    expect(sequences(receiver)).toEqual(upTo(receiver.entries.length));
    await second[Symbol.asyncDispose]();
  });
});
