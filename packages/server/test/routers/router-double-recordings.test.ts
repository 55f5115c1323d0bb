import { decode, FaultSchema, FaultSubject, RouterLinksSchema } from '@edge-controller/router-messages';
import { controlTypes, edgeTypes } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { caller, first, host, RecordedNetwork, second } from './router-double/recorded-network.ts';
import { readRecording } from './router-double/recording.ts';

// Each recording goes on where the one before has ended.
let network: RecordedNetwork;

beforeAll(async () => {
  network = await RecordedNetwork.start();
  await network.startRouter(first);
});
afterAll(() => network[Symbol.asyncDispose]());

it('connects', () => network.play('01'));

it('accepts an application with its API session, and ends its connection with it', async () => {
  await network.play('02');
  await network.application(caller).peer.closed();
});

it('hosts', () => network.play('03'));

it('dials with encryption, and closes', () => network.play('04'));

it('dials without encryption', () => network.play('05'));

it('ends a terminator, and reports what comes late for a circuit', () => network.play('06'));

it('changes a terminator', () => network.play('07'));

it('passes on why a dial was refused', () => network.play('08'));

it('ends what was dialed with a removed session', () => network.play('09'));

it('ends the connection of a removed API session', async () => {
  await network.play('10');
  await network.application(caller).peer.closed();
});

it('says which terminators it has', () => network.play('11'));

it('confirms an idle circuit', async () => {
  network.isAlone = true;
  network.application(host).answerAll();
  await network.play('12');
});

it('connects again when the controller was restarted, and loses nothing', () => network.play('13'));

it('knows nothing but its keys after a restart', async () => {
  network.isAlone = false;
  const before = network.router(first);
  before.kill();
  await network.startRouter(first, { dataModel: before.dataModel });
  await network.play('14', [edgeTypes.stateConnected]);
});

it('makes links with another router, and keeps one', async () => {
  await network.startRouter(second);
  await network.play('15');
  const [link, ...others] = network.router(first).state.links;
  expect([link?.routerId, others]).toEqual([second, []]);
  expect(network.router(second).state.links).toEqual([{ ...link, routerId: first }]);
});

it('takes part in a circuit over a link', async () => {
  network.isAlone = true;
  network.application(host).answerAll();
  await network.play('16');
});

it('makes a link again that was deleted, and ends the circuit over it', async () => {
  const [{ id: link } = { id: '' }] = network.router(first).state.links;
  const recording = readRecording('17');
  const [deletion, rest] = [recording.slice(0, 4), recording.slice(4)];
  const linkId = decode(FaultSchema, deletion[0]!.frame.body).id;
  const effects = rest.filter(({ from, frame: { type, body } }) => {
    if (from !== 'router') return false;
    if (type === controlTypes.routerLinks) return decode(RouterLinksSchema, body).links.some(({ id }) => id === linkId);
    if (type !== controlTypes.fault) return false;
    const { subject, id } = decode(FaultSchema, body);
    return [FaultSubject.EGRESS, FaultSubject.INGRESS].includes(subject) || id === linkId;
  });
  expect(effects).toHaveLength(5);
  await network.playInAnyOrder([...deletion, ...effects]);
  const again = { id: link, iteration: 2 };
  await vi.waitFor(() => expect(network.router(first).state.links).toEqual([{ ...again, routerId: second }]));
  await vi.waitFor(() => expect(network.router(second).state.links).toEqual([{ ...again, routerId: first }]));
});

it('loses the link with a router that dies', async () => {
  const recording = readRecording('18');
  await network.play(recording.slice(0, 6), [controlTypes.routerLinks]);
  network.router(second).kill();
  await network.play(recording.slice(6));
  expect(network.router(first).state).toMatchObject({ links: [], circuits: [] });
});

it('forgets a router that was deleted', () => network.play('19'));
