import { once } from 'node:events';
import { dataFlags, edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Authority } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { openPeerChannel } from '../../test/support/peer-channel.ts';
import type { RouterPeer } from '../../test/support/router-peer.ts';
import { idOf, ofConnection } from '../../test/support/router-peer.ts';
import type { Dial } from './dial-on-channel.ts';
import { dialOn } from './dial-on-channel.ts';
import { agreeOnKeys, createKeyPair } from './key-exchange.ts';
import { RoutedConnection } from './routed-connection.ts';
import type { RouterChannel } from './router-channel.ts';
import { SecureMessages } from './secure-messages.ts';

let authority: Authority;
beforeAll(() => {
  authority = createAuthority();
});
afterAll(() => authority[Symbol.dispose]());

const mebibyte = 1_024 * 1_024;
const flagsOf = ({ headers }: Parameters<typeof idOf>[0]) => readHeader.u32(headers.get(edgeHeaders.flags)) ?? 0;

function connect(channel: RouterChannel, secure: SecureMessages | null = null): RoutedConnection {
  const parts = { service: 'wiki', circuitId: 'circuit', callerId: 'me', appData: new Uint8Array() };
  const connection = new RoutedConnection({ channel, id: channel.newId(), secure, allowHalfOpen: true, ...parts });
  return connection.on('error', () => undefined);
}

/** What has come for a connection, in order: `data`, `fin`, `closed`. */
function endsOf(peer: RouterPeer): string[] {
  return peer.frames.map((frame) => {
    if (frame.type === edgeTypes.stateClosed) return 'closed';
    return flagsOf(frame) === dataFlags.fin ? 'fin' : 'data';
  });
}

describe('an end', () => {
  test('is FIN behind the data, and the close waits for the other side', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const connection = connect(channel).resume();
    connection.end('last words');
    await vi.waitFor(() => expect(endsOf(peer)).toEqual(['data', 'fin']));
    peer.data(1, 'and', dataFlags.fin);
    await once(connection, 'close');
    expect(connection.bytesRead).toBe(3);
    expect(endsOf(peer)).toEqual(['data', 'fin']);
    // The circuit ends a little later, so that data on its way arrives.
    await vi.waitFor(() => expect(endsOf(peer)).toEqual(['data', 'fin', 'closed']));
    expect(channel.memberCount).toBe(0);
  });

  test('that the other side completes with its close is not answered', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const connection = connect(channel).resume();
    peer.data(1, '', dataFlags.fin);
    await once(connection, 'end');
    connection.end();
    await once(connection, 'close');
    peer.send(edgeTypes.stateClosed, [ofConnection(1)]);
    await vi.waitFor(() => expect(channel.memberCount).toBe(0));
    expect(endsOf(peer)).toEqual(['fin']);
  });

  test('by destroy is a close at once', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    connect(channel).destroy();
    await vi.waitFor(() => expect(endsOf(peer)).toEqual(['closed']));
    expect(channel.memberCount).toBe(0);
  });

  test('by destroySoon sends everything first', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const connection = connect(channel);
    connection.write('all of it');
    connection.destroySoon();
    await once(connection, 'close');
    await vi.waitFor(() => expect(endsOf(peer)).toEqual(['data', 'fin']));
  });

  test('of the other side is the end, whatever comes behind it', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const connection = connect(channel);
    peer.data(1, 'all', dataFlags.fin);
    peer.data(1, 'more');
    peer.data(1, '', dataFlags.fin);
    expect(await connection.toArray()).toEqual([Buffer.from('all')]);
  });
});

describe('what is no message', () => {
  async function secured() {
    const { channel, peer } = await openPeerChannel(authority);
    const [own, other] = [createKeyPair(), createKeyPair()];
    const messages = new SecureMessages(agreeOnKeys(other, own.publicKey, 'hosts'));
    const connection = connect(channel, new SecureMessages(agreeOnKeys(own, other.publicKey, 'dials')));
    messages.decrypt((await peer.next(edgeTypes.data)).body);
    return { channel, peer, messages, connection };
  }

  test.each([
    [
      'a message that was changed',
      ({ messages }: { messages: SecureMessages }) => messages.encrypt(Buffer.alloc(40)).fill(1, 20, 30),
    ],
    ['plain data', () => Buffer.from('plain')],
    ['a sealed end without proofs', ({ messages }: { messages: SecureMessages }) => messages.encryptEnd()],
  ])('%s ends its connection, and no other', async (_, body) => {
    const { channel, peer, messages, connection } = await secured();
    const other = connect(channel);
    peer.data(1, messages.header);
    peer.data(1, messages.encrypt(Buffer.from('fine')));
    expect((await once(connection, 'data'))[0]).toEqual(Buffer.from('fine'));
    peer.data(1, body({ messages }));
    peer.data(2, 'of the other');
    expect((await once(connection, 'error'))[0]).toMatchObject({ code: 'DAMAGED', cause: { name: 'SealError' } });
    expect((await once(other, 'data'))[0]).toEqual(Buffer.from('of the other'));
    expect((await peer.next(edgeTypes.stateClosed)).type).toBe(edgeTypes.stateClosed);
  });

  test('a header of another length, and several parts', async () => {
    const { peer, connection } = await secured();
    peer.data(1, 'too short');
    expect((await once(connection, 'error'))[0]).toMatchObject({ code: 'DAMAGED' });
    const second = await openPeerChannel(authority);
    const plain = connect(second.channel);
    second.peer.data(1, 'x', dataFlags.multipartMessage);
    expect((await once(plain, 'error'))[0]).toMatchObject({ code: 'DAMAGED' });
  });
});

describe('back-pressure', () => {
  test('long writes are messages of 32 KiB, and they wait for a router that does not read', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const connection = connect(channel);
    connection.write(Buffer.alloc(70_000));
    await vi.waitFor(() => expect(peer.frames.map(({ body }) => body.length)).toEqual([32_768, 32_768, 4_464]));
    peer.socket.pause();
    let written = 0;
    while (connection.write(Buffer.alloc(mebibyte)) && written < 50)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(connection.writableNeedDrain).toBe(true);
    const drained = once(connection, 'drain');
    peer.socket.resume();
    await drained;
    written = connection.bytesWritten;
    await vi.waitFor(() => {
      expect(peer.frames.reduce((sum, { body }) => sum + body.length, 0)).toBe(written);
    });
  });

  async function flooded() {
    const { channel, peer } = await openPeerChannel(authority);
    const [slow, quick] = [connect(channel), connect(channel)];
    for (let sent = 0; sent < 6; sent += 1) peer.data(1, Buffer.alloc(mebibyte));
    await vi.waitFor(() => expect(channel.isPaused).toBe(true));
    peer.data(2, 'waits');
    return { channel, slow, quick };
  }

  test('a connection that is full holds the channel until it is read', async () => {
    const { channel, slow, quick } = await flooded();
    expect(slow.readableLength).toBeLessThan(5.5 * mebibyte);
    const waited = once(quick, 'data');
    slow.resume();
    expect((await waited)[0]).toEqual(Buffer.from('waits'));
    expect([channel.isPaused, slow.bytesRead]).toEqual([false, 6 * mebibyte]);
  });

  test('when nobody reads it for long, it ends, and the others go on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { slow, quick } = await flooded();
    const [failed, waited] = [once(slow, 'error'), once(quick, 'data')];
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await failed)[0]).toMatchObject({ code: 'NOT_READ' });
    expect((await waited)[0]).toEqual(Buffer.from('waits'));
  });

  test('many short messages fill it, too', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    connect(channel);
    for (let sent = 0; sent < 100_000; sent += 1) peer.data(1, 'x');
    await vi.waitFor(() => expect(channel.isPaused).toBe(true));
  });
});

describe('a dial', () => {
  const dial = {
    service: 'wiki',
    offersProof: false,
    token: 'the JWT',
    callerId: 'me',
    identity: undefined,
    appData: undefined,
  };
  const start = async (channel: RouterChannel, more: Partial<Dial> = {}) => {
    const { signal } = new AbortController();
    const connection = await dialOn(channel, { ...dial, isEncrypted: true, allowHalfOpen: true, signal, ...more });
    return connection.on('error', () => undefined);
  };
  const errorOf = (call: Promise<unknown>) => call.then(null, (error: unknown) => error);

  test('sends what the router needs', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const dialed = start(channel, { identity: 'printer', appData: Buffer.from('data') });
    const frame = await peer.next(edgeTypes.connect);
    expect(Buffer.from(frame.body).toString()).toBe('the JWT');
    const { headers } = frame;
    expect([idOf(frame), readHeader.text(headers.get(edgeHeaders.callerId))]).toEqual([1, 'me']);
    expect(readHeader.text(headers.get(edgeHeaders.terminatorIdentity))).toBe('printer');
    expect(readHeader.u8(headers.get(edgeHeaders.cryptoMethod))).toBe(0);
    expect(readHeader.boolean(headers.get(edgeHeaders.useFlowControl))).toBe(false);
    const key = createKeyPair();
    peer.reply(frame, edgeTypes.stateConnected, [ofConnection(1), [edgeHeaders.publicKey, key.publicKey]]);
    expect((await dialed).appData).toEqual(Buffer.from('data'));
    expect((await peer.next(edgeTypes.data)).body).toHaveLength(24);
  });

  test('reads what follows the answer at once', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const dialed = start(channel, { isEncrypted: false });
    const frame = await peer.next(edgeTypes.connect);
    peer.socket.cork();
    peer.reply(frame, edgeTypes.stateConnected, [ofConnection(1)]);
    peer.data(1, 'hello', dataFlags.fin);
    peer.socket.uncork();
    expect(await (await dialed).toArray()).toEqual([Buffer.from('hello')]);
  });

  test.each([
    ['no key', [], 'NOT_ENCRYPTED'],
    ['a key that leads to a known secret', [[edgeHeaders.publicKey, new Uint8Array(32)]], 'DAMAGED'],
    ['a key of another length', [[edgeHeaders.publicKey, headerValue.text('short')]], 'DAMAGED'],
  ] as const)('of an encrypted service fails with %s, and the circuit is closed', async (_, headers, code) => {
    const { channel, peer } = await openPeerChannel(authority);
    const failed = errorOf(start(channel));
    peer.reply(await peer.next(edgeTypes.connect), edgeTypes.stateConnected, [ofConnection(1), ...headers]);
    expect(await failed).toMatchObject({ code });
    expect(idOf(await peer.next(edgeTypes.stateClosed))).toBe(1);
  });

  test('that was aborted closes the circuit that opens nevertheless', async () => {
    const { channel, peer } = await openPeerChannel(authority);
    const aborted = new AbortController();
    const failed = errorOf(start(channel, { isEncrypted: false, signal: aborted.signal }));
    const frame = await peer.next(edgeTypes.connect);
    aborted.abort(new Error('enough'));
    expect(await failed).toBe(aborted.signal.reason);
    await peer.next(edgeTypes.stateClosed);
    peer.reply(frame, edgeTypes.stateConnected, [ofConnection(1)]);
    await peer.next(edgeTypes.stateClosed);
    expect(channel.memberCount).toBe(0);
  });
});
