import { once } from 'node:events';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createCsr, mtls, nodeFetch } from '@edge-controller/sdk/node';
import type { TestController, TestIdentity } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headerValue } from '@edge-controller/shared-types/channel';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Tamper } from './support/hostile-router.ts';
import { finLike, isData, manInTheMiddle, senderOf, withHeader } from './support/hostile-router.ts';
import { errorOf, provingCell } from './support/proving-cell.ts';
import { accept, echo, textOf } from './support/routed-services.ts';

let controller: TestController;
let host: TestIdentity;
let hosting: NodeEdgeClient;
let service: string;
const { dial, bind, tamper, pair } = provingCell((cell) => {
  ({ controller, host, hosting, service } = cell);
});

describe('a router that changes the keys of both ends', () => {
  const secret = 'pay 10 to Ada';
  /** It must be there before the bind. */
  function inTheMiddle(change: Parameters<typeof manInTheMiddle>[0]): void {
    tamper(manInTheMiddle(change));
  }

  test('reads and changes everything, and nobody sees it, as the wire of the network has it', async () => {
    const read: string[] = [];
    inTheMiddle((message, from) => {
      read.push(`${from}: ${message}`);
      return [Buffer.from(String(message).replace('Ada', 'Eve'))];
    });
    const { connection, accepted } = await pair({ dial: {}, bind: {} });
    connection.end(secret);
    expect(await textOf(accepted)).toBe('pay 10 to Eve');
    accepted.end('paid to Ada');
    expect(await textOf(connection)).toBe('paid to Eve');
    expect(read).toEqual([`dialer: ${secret}`, 'host: paid to Ada']);
  });

  test.each<[string, (message: Buffer, seen: Buffer[]) => readonly Uint8Array[]]>([
    ['passes on what they prove', (message) => [message]],
    ['sends each end what it has sent itself', (_message, seen) => [seen[0] ?? Buffer.of(1)]],
    ['sends garbage', () => [Buffer.alloc(500, 7)]],
    ['sends nothing', () => [Buffer.alloc(0)]],
    ['sends far too much', () => [Buffer.alloc(1_000_000, 1)]],
    ['cuts it', (message) => [message.subarray(0, -1)]],
  ])('reads nothing of two ends that prove who they are: it %s', async (_, change) => {
    const [seen, read]: [Buffer[], string[]] = [[], []];
    inTheMiddle((message) => {
      read.push(String(message));
      seen.push(message);
      return change(message, seen);
    });
    const binding = await bind();
    const accepted = vi.fn();
    void accept(binding).then(accepted, () => undefined);
    const connection = dial();
    connection.then(
      (open) => open.end(secret),
      () => undefined,
    );
    expect(await errorOf(connection)).toMatchObject({ code: 'NOT_AUTHENTICATED' });
    expect(read.join()).not.toContain(secret);
    expect(accepted).not.toHaveBeenCalled();
  });

  test('can say that each end cannot prove who it is: only `if-possible` accepts that', async () => {
    const unmarked: Tamper = (frame) => [
      isData(frame) && frame.body.length === 24
        ? { ...frame, body: Buffer.concat([frame.body.subarray(0, 16), Buffer.alloc(8)]) }
        : frame,
    ];
    tamper(unmarked);
    const binding = await bind({ authenticate: 'if-possible' });
    void echo(binding);
    expect(await errorOf(dial())).toMatchObject({ code: 'NOT_AUTHENTICATED', reason: 'it cannot prove who it is' });
    expect((await dial({ authenticate: 'if-possible' })).peer).toBeNull();
  });
});

test('a router that has the token of a host cannot pass for it with a certificate of its API session', async () => {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const token = await hosting.authorization(controller.url);
  const response = await nodeFetch({ ca: controller.ca })(
    `${controller.url}/edge/client/v1/current-api-session/certificates`,
    {
      method: 'POST',
      headers: { ...token, 'content-type': 'application/json' },
      body: JSON.stringify({ csr: await createCsr('eve', keys) }),
    },
  );
  const { data } = (await response.json()) as { data: { certificate: string } };
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  const eve = await controller.createIdentity({ name: 'eve', roleAttributes: ['hosts'] });
  const edge = await eve.signIn({ fetch: mtls({ key, cert: data.certificate, ca: controller.ca }) });
  onTestFinished(() => edge.dispose());
  const binding = await edge.bind(service, { authenticate: true });
  onTestFinished(() => binding.close());
  void echo(binding);
  expect(await errorOf(dial())).toMatchObject({
    ...{ code: 'NOT_AUTHENTICATED', reason: expect.stringContaining('of an API session') },
  });
});

describe('a router that changes what stands beside the data', () => {
  test.each<[string, number, number]>([
    ['the data that the dialing end sends along', edgeTypes.connect, edgeHeaders.appData],
  ])('%s: the two ends refuse each other', async (_, type, header) => {
    tamper((frame) => [
      frame.type === type ? { ...frame, headers: withHeader(frame, header, headerValue.text('changed')) } : frame,
    ]);
    const binding = await bind();
    void echo(binding);
    expect(await errorOf(dial({ authenticate: true, peer: host.id, appData: 'mine' }))).toMatchObject({
      code: 'NOT_AUTHENTICATED',
    });
  });
});

describe('a router that ends the data of one side', () => {
  /** The word ends the data. */
  const cutting = (from: 'dialer' | 'host'): Tamper => {
    let sent = 0;
    let isCut = false;
    return (frame) => {
      if (!isData(frame) || senderOf(frame) !== from || frame.body.length === 24) return [frame];
      sent += 1;
      // Of two ends that prove who they are, the first message is the proof.
      if (sent < 3 && !isCut) return [frame];
      const cut = isCut ? [] : [finLike(frame)];
      isCut = true;
      return cut;
    };
  };

  test('looks like its end, as the wire of the network has it', async () => {
    tamper(cutting('dialer'));
    const { connection, accepted } = await pair({ dial: {}, bind: {} });
    for (const part of ['pay ', '10 ', 'to Ada']) connection.write(part);
    expect(await textOf(accepted)).toBe('pay 10 ');
  });

  test.each(['dialer', 'host'] as const)('is found by two ends that prove who they are: %s', async (from) => {
    tamper(cutting(from));
    const { connection, accepted } = await pair();
    const [writes, reads] = from === 'dialer' ? [connection, accepted] : [accepted, connection];
    for (const part of ['pay ', '10 ', 'to Ada']) writes.write(part);
    const failed = once(reads, 'error');
    let text = '';
    reads.on('data', (data) => (text += data));
    reads.on('end', () => (text += ' END'));
    expect((await failed)[0]).toMatchObject({ code: 'TRUNCATED' });
    expect(text).not.toContain('END');
  });

  test('by dropping all that follows, also the end: the reader gets no end', async () => {
    let isSilent = false;
    tamper((frame) => (isSilent && isData(frame) && senderOf(frame) === 'dialer' ? [] : [frame]));
    const { connection, accepted } = await pair();
    isSilent = true;
    connection.end('all of it');
    const end = vi.fn();
    accepted.resume().on('end', end);
    // An error closes it at once.
    connection.destroy(new Error('gone'));
    const [error] = await once(accepted, 'error');
    expect([error.code, end.mock.calls]).toEqual(['CLOSED', []]);
  });
});

describe('what was recorded, within one bind', () => {
  /** Replaces what a second dial sends with what the first one has sent. */
  function replaying(): Tamper {
    const recorded: Frame[] = [];
    let dials = 0;
    let key: Uint8Array | undefined;
    return (frame) => {
      if (frame.type === edgeTypes.connect) {
        dials += 1;
        key ??= Uint8Array.from(frame.headers.get(edgeHeaders.publicKey) ?? []);
        return [{ ...frame, headers: withHeader(frame, edgeHeaders.publicKey, key) }];
      }
      if (!isData(frame) || senderOf(frame) === 'host') return [frame];
      if (dials === 1) {
        recorded.push(frame);
        return [frame];
      }
      const { connId } = edgeHeaders;
      const id = frame.headers.get(connId) ?? headerValue.u32(0);
      return recorded.splice(0).map((one) => ({ ...one, headers: withHeader(one, connId, id) }));
    };
  }

  test('is read again, as the wire of the network has it', async () => {
    tamper(replaying());
    const binding = await bind({});
    const first = await dial({});
    first.end('pay 10 to Ada');
    expect(await textOf(await accept(binding))).toBe('pay 10 to Ada');
    (await dial({})).on('error', () => undefined);
    expect(await textOf(await accept(binding))).toBe('pay 10 to Ada');
  });

  test('is refused by a host that asks for a proof', async () => {
    tamper(replaying());
    const binding = await bind();
    const first = await dial();
    first.end('pay 10 to Ada');
    expect(await textOf(await accept(binding))).toBe('pay 10 to Ada');
    const accepted = vi.fn();
    void accept(binding).then(accepted, () => undefined);
    expect(await errorOf(dial())).toBeInstanceOf(Error);
    expect(accepted).not.toHaveBeenCalled();
  });
});
