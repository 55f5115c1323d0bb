import type { DialOptions, NodeEdgeClient } from '@edge-controller/sdk/node';
import type { TestController, TestIdentity } from '@edge-controller/sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isData, senderOf } from './support/hostile-router.ts';
import { createAuthority } from './support/openssl.ts';
import { errorOf, provingCell } from './support/proving-cell.ts';
import { accept, echo, textOf } from './support/routed-services.ts';

let controller: TestController;
let host: TestIdentity;
let caller: TestIdentity;
let hosting: NodeEdgeClient;
let calling: NodeEdgeClient;
let service: string;
const { dial, bind, tamper, pair } = provingCell((cell) => {
  ({ controller, host, caller, hosting, calling, service } = cell);
});

describe('two ends that prove who they are', () => {
  test('know each other, carry data both ways, and each ends its side', async () => {
    const { connection, accepted } = await pair();
    expect([connection.peer?.id, accepted.peer?.id]).toEqual([host.id, caller.id]);
    expect(accepted.peer?.certificate.subjectAltName).toContain(`/identity/${caller.id}`);
    connection.end('hello');
    expect(await textOf(accepted)).toBe('hello');
    accepted.end(Buffer.alloc(3_000_000, 'x'));
    expect((await textOf(connection)).length).toBe(3_000_000);
    await vi.waitFor(() =>
      expect([connection, accepted]).toMatchObject([
        { destroyed: true, errored: null },
        { destroyed: true, errored: null },
      ]),
    );
  });

  test('with a name of the host, and data that the dialing end sends along', async () => {
    const binding = await bind({ authenticate: true, identity: 'printer-4' });
    await dial({ authenticate: true, peer: host.id, identity: 'printer-4', appData: 'paper' });
    expect(Buffer.from((await accept(binding)).appData).toString()).toBe('paper');
  });

  test('as servers and agents of HTTP', async () => {
    const served = await hosting.server(
      service,
      ({ socket }, response) => void response.end((socket as unknown as { peer: { id: string } }).peer.id),
      { authenticate: true },
    );
    onTestFinished(() => served.close());
    const agent = calling.agent(service, { authenticate: true, peer: host.id });
    onTestFinished(() => agent.destroy());
    expect(await (await agent.fetch('http://wiki/')).text()).toBe(caller.id);
  });

  test('the certificates of CAs of the application name nobody, and a function decides', async () => {
    const seen: unknown[] = [];
    const { connection } = await pair({
      dial: {
        ...{ authenticate: true, peerCa: controller.ca },
        peer: ({ id, certificate }) => seen.push(id, certificate.checkIssued(certificate)) > 0,
      },
    });
    expect([connection.peer?.id, seen]).toEqual([null, [null, false]]);
  });
});

describe('an end that is not the right one is refused', () => {
  test.each([
    ['another id', (): DialOptions => ({ authenticate: true, peer: caller.id }), 'it is .*, who is not expected'],
    ['none of these ids', (): DialOptions => ({ authenticate: true, peer: [] }), 'who is not expected'],
    ['a function that says no', (): DialOptions => ({ authenticate: true, peer: () => false }), 'not expected'],
    [
      'a function that throws',
      (): DialOptions => ({
        authenticate: 'if-possible',
        peer: () => {
          throw new Error('who is it?');
        },
      }),
      'who is it',
    ],
    [
      'a CA that has not issued it',
      (): DialOptions => ({ authenticate: true, peer: () => true, peerCa: foreignCa() }),
      'of no CA',
    ],
  ])('by the dialing end: %s', async (_, options, reason) => {
    const binding = await bind();
    void echo(binding);
    expect(await errorOf(dial(options()))).toMatchObject({
      code: 'NOT_AUTHENTICATED',
      reason: expect.stringMatching(reason),
    });
  });

  test('by the host, and the dialing end learns it; the application of the host gets no connection', async () => {
    const binding = await bind({ authenticate: true, peer: host.id });
    const accepted = vi.fn();
    void accept(binding).then(accepted, () => undefined);
    expect(await errorOf(dial())).toMatchObject({
      ...{ code: 'NOT_AUTHENTICATED', reason: 'it has refused the certificate of this end' },
    });
    expect(accepted).not.toHaveBeenCalled();
  });

  test('when it cannot prove who it is, unless the caller asks for that', async () => {
    const plain = await bind({});
    void echo(plain);
    expect(await errorOf(dial())).toMatchObject({ code: 'NOT_AUTHENTICATED', reason: 'it cannot prove who it is' });
    const connection = await dial({ authenticate: 'if-possible' });
    connection.end('hello');
    expect([await textOf(connection), connection.peer]).toEqual(['hello', null]);
  });

  test('when the dialing end cannot, unless the host asks for that', async () => {
    const strict = await bind();
    const accepted = vi.fn();
    void accept(strict).then(accepted, () => undefined);
    const connection = await dial({});
    await vi.waitFor(() => expect(connection.errored).toMatchObject({ code: 'CLOSED' }));
    expect(accepted).not.toHaveBeenCalled();
    await strict.close();
    const { connection: second, accepted: open } = await pair({ dial: {}, bind: { authenticate: 'if-possible' } });
    second.end('hello');
    expect([await textOf(open), open.peer]).toEqual(['hello', null]);
  });

  test('and one that says nothing takes the place of one that waits', async () => {
    tamper((frame) => (isData(frame) && senderOf(frame) === 'dialer' ? [] : [frame]));
    await bind({ authenticate: true, backlog: 1 });
    const silent = new AbortController();
    const first = errorOf(dial({ authenticate: true, peer: host.id, signal: silent.signal }));
    await vi.waitFor(async () => {
      const options: DialOptions = { authenticate: true, peer: host.id, timeout: 2_000 };
      expect(await errorOf(dial(options))).toMatchObject({
        code: 'REFUSED',
        reason: expect.stringContaining('too many'),
      });
    });
    silent.abort(new Error('enough'));
    expect(await first).toBe(silent.signal.reason);
  });

  test('when the service does not require encryption', async () => {
    const plain = await controller.createService({ dial: ['#callers'], bind: ['#hosts'], encryptionRequired: false });
    const refused = { code: 'NOT_AUTHENTICATED', reason: 'the service does not require encryption' };
    expect(await errorOf(hosting.bind(plain.name, { authenticate: true }))).toMatchObject(refused);
    expect(await errorOf(calling.dial(plain.name, { authenticate: true, peer: host.id }))).toMatchObject(refused);
    const binding = await hosting.bind(plain.name, { authenticate: 'if-possible' });
    onTestFinished(() => binding.close());
    void echo(binding);
    const connection = await calling.dial(plain.name, { authenticate: 'if-possible' });
    connection.end('hello');
    expect([await textOf(connection), connection.peer]).toEqual(['hello', null]);
  });

  test('when its client has no certificate but that of the API session, which every router of it can get', async () => {
    const edge = await host.signIn();
    onTestFinished(() => edge.dispose());
    expect(await errorOf(edge.bind(service, { authenticate: true }))).toMatchObject({
      ...{ name: 'TypeError', message: expect.stringContaining('mtls') },
    });
    const binding = await edge.bind(service, { authenticate: 'if-possible' });
    onTestFinished(() => binding.close());
    void echo(binding);
    expect(await errorOf(dial())).toMatchObject({ code: 'NOT_AUTHENTICATED', reason: 'it cannot prove who it is' });
  });

  test('options that leave open who it is, or that contradict each other, are refused', async () => {
    const wrong = [
      { authenticate: true },
      { peer: 'x' },
      { authenticate: true, peer: 'x', peerCa: 'x' },
      JSON.parse('{"authenticate":"yes"}'),
    ];
    for (const options of wrong) expect(await errorOf(dial(options))).toBeInstanceOf(TypeError);
    expect(await errorOf(bind({ peer: 'x' }))).toBeInstanceOf(TypeError);
  });
});

function foreignCa(): string {
  const authority = createAuthority();
  onTestFinished(() => authority[Symbol.dispose]());
  return authority.ca;
}
