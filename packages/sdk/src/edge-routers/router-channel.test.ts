import { createSecureContext } from 'node:tls';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Authority } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { lost, openPeerChannel } from '../../test/support/peer-channel.ts';
import { idOf, ofConnection, routerPeers } from '../../test/support/router-peer.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { openChannel, routerUrl } from './open-channel.ts';
import type { ChannelMember } from './router-channel.ts';

let authority: Authority;
beforeAll(() => {
  authority = createAuthority();
});
afterAll(() => authority[Symbol.dispose]());

const open = () => openPeerChannel(authority);

function memberOf(kind: ChannelMember['kind'] = 'dial') {
  const received: number[] = [];
  const errors: Error[] = [];
  const member: ChannelMember = {
    kind,
    receive: ({ type }) => received.push(type),
    lost: (error) => errors.push(error),
  };
  return { member, received, errors };
}

describe('a channel', () => {
  test('says hello with the token and the certificate', async () => {
    const { peer } = await open();
    expect(peer.hello?.sequence).toBe(-1);
    expect(readHeader.text(peer.hello?.headers.get(edgeHeaders.sessionToken))).toBe('the token');
    expect(Buffer.from(peer.hello?.body ?? []).toString()).toBe('identity-1');
    expect(peer.socket.getPeerCertificate().subject.CN).toBe('sensor');
    expect(peer.socket.alpnProtocol).toBe('ziti-edge');
  });

  test('passes frames on to the connection that they name, and drops others', async () => {
    const { channel, peer } = await open();
    const { member, received } = memberOf();
    channel.add(channel.newId(), member);
    peer.data(7, 'for nobody');
    peer.send(12_345, [], 'of no known type');
    peer.data(1, 'for the first');
    await vi.waitFor(() => expect(received).toEqual([edgeTypes.data]));
  });

  test('answers what a router asks', async () => {
    const { channel, peer } = await open();
    const { member } = memberOf('bind');
    channel.add(3, member);
    for (const id of [3, 4]) peer.send(edgeTypes.connectionInspect, [ofConnection(id)]);
    const answers = [await peer.next(edgeTypes.connectionInspectResponse), await peer.next(60_805)];
    expect(answers.map(({ headers }) => readHeader.u8(headers.get(edgeHeaders.connectionType)))).toEqual([2, 0]);
    expect(answers.map(idOf)).toEqual([3, 4]);
    peer.send(edgeTypes.latency, [[128, headerValue.u64(42n)]]);
    const { headers } = await peer.next(edgeTypes.result);
    expect(readHeader.u64(headers.get(128))).toBe(42n);
    expect(readHeader.i32(headers.get(edgeHeaders.replyFor))).toBe(3);
  });

  test('measures how long the router takes', async () => {
    const { channel, peer } = await open();
    expect(channel.latency).toBe(Number.POSITIVE_INFINITY);
    await vi.waitFor(() => expect(peer.probes).toHaveLength(1));
    for (const probe of peer.probes) peer.reply(probe, edgeTypes.result);
    await vi.waitFor(() => expect(channel.latency).toBeLessThan(5_000));
  });

  test('gives each connection an id of its own', async () => {
    const { channel } = await open();
    channel.add(2, memberOf().member);
    expect([channel.newId(), channel.newId(), channel.newId()]).toEqual([1, 3, 4]);
  });
});

describe('a channel that is lost', () => {
  test('tells its connections and questions, each once', async () => {
    const { channel, peer } = await open();
    const { member, errors } = memberOf();
    channel.add(1, member);
    const asked = new Promise((resolve) => {
      channel.ask(edgeTypes.connect, new Map(), new Uint8Array(), { answered() {}, lost: resolve });
    });
    peer.socket.destroy();
    expect(await asked).toBe(lost);
    expect(errors).toEqual([lost]);
    channel.end(new EdgeConnectionError('SESSION_ENDED'));
    expect(errors).toEqual([lost]);
    const late = new Promise((resolve) => {
      channel.ask(edgeTypes.connect, new Map(), new Uint8Array(), { answered() {}, lost: resolve });
    });
    expect(await late).toBe(lost);
  });

  test('soon after the hello was not authorized, unless the router has worked on something', async () => {
    const refused = await open();
    refused.peer.socket.end();
    await vi.waitFor(() => expect(refused.losses).toMatchObject([{ isUnauthorized: true }]));
    const served = await open();
    const { member, received } = memberOf();
    served.channel.add(1, member);
    served.peer.data(1, 'data');
    await vi.waitFor(() => expect(received).toHaveLength(1));
    served.peer.socket.end();
    await vi.waitFor(() => expect(served.losses).toMatchObject([{ isUnauthorized: false }]));
  });

  test.each([
    ['another magic number', Buffer.alloc(20, 7), 'VersionError'],
    ['a body of 2 GB', Buffer.from('0306090c72ed0000010000000000000000000070', 'hex'), 'FrameError'],
    ['headers that are cut off', Buffer.from('0306090c72ed000001000000040000000000000001020304', 'hex'), 'FrameError'],
  ])('because of %s says so', async (_, bytes, name) => {
    const { peer, losses } = await open();
    peer.socket.write(bytes);
    await vi.waitFor(() => expect(losses).toMatchObject([{ cause: { name } }]));
  });
});

test('a router whose certificate is not trusted, or not for its name, is not used', async () => {
  const peers = await routerPeers(authority);
  using other = createAuthority();
  const target = { token: 't', identityId: 'i', explain: async () => lost };
  const withCa = (ca: string) => createSecureContext({ ...authority.issue(), ca });
  const refused = (url: string, ca: string) =>
    openChannel({ ...target, url, secureContext: withCa(ca) }).then(null, (error: unknown) => error);
  expect(await refused(peers.url, other.ca)).toMatchObject({ name: 'EdgeTlsError', reason: 'UNTRUSTED' });
  const byAddress = peers.url.replace('localhost', '127.0.0.1');
  expect(await refused(byAddress, authority.ca)).toMatchObject({ name: 'EdgeTlsError', reason: 'WRONG_HOST' });
});

test.each([
  ['tls://router.example:3022', 'tls://router.example:3022'],
  ['tls:router.example:3022', 'tls://router.example:3022'],
  ['tls://[::1]:3022', 'tls://[::1]:3022'],
  ['wss://router.example:3022', undefined],
  ['tls://router.example', undefined],
])('of the address %s it uses %s', (tls, expected) => {
  expect(routerUrl({ tls })).toBe(expected);
  expect(routerUrl({})).toBeUndefined();
});
