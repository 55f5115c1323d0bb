import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, it } from 'vitest';
import type { RouterDoubleOptions } from '../src/router-double/index.ts';
import { RouterDouble } from '../src/router-double/index.ts';
import { decode } from '../src/routers/messages/codec.ts';
import { FaultSchema, FaultSubject } from '../src/routers/messages/generated/router_pb.js';
import type { FramePeer } from './router-double/frame-peer.ts';
import { ControlListener, connectApplication } from './router-double/frame-peer.ts';
import { createNetwork } from './router-double/network.ts';
import { RecordedApplication } from './router-double/recorded-application.ts';
import { readRecording } from './router-double/recording.ts';
import { Replay } from './router-double/replay.ts';
import type { TestClient } from './support/test-ca.ts';

/** The time of the recordings. */
const clock = () => Date.UTC(2026, 10, 22, 21);
const [routerId, caller, host] = ['Ad2KYjZ2Zg', 'SwxfXjM1Zg', 'EmNKYjM1M'] as const;
const timings = {
  ...{ validate: 200, unroute: 60, forwardFault: 30, confirm: 200, idleCircuit: 1_000, connectEvents: 3_600_000 },
};

const network = createNetwork();
const identity = network.router(routerId);
const clients: Record<string, TestClient> = {
  [caller]: network.application(caller),
  [host]: network.application(host),
};
const replaced = new Map([
  ['9e35c4d18b1cdcf8741c380e39e81c0e832f1cb6', clients[caller]!.fingerprint],
  ['3eaffff099fa5fa1b45f79554c35ef0076db5b60', clients[host]!.fingerprint],
  ['86b600e00864712e1586483a4cc5a5638fba8145', network.issuer.fingerprint],
]);
const applications = new Map<string, RecordedApplication>();
let listener: ControlListener;
let router: RouterDouble;

beforeAll(async () => {
  listener = await ControlListener.start(network);
  await start();
});
afterAll(async () => {
  await router.stop();
  for (const { peer } of applications.values()) peer.close();
  listener.close();
});

async function start(options: Partial<RouterDoubleOptions> = {}): Promise<void> {
  const { address } = listener;
  router = await RouterDouble.start({
    ...{ identity, controllers: [address], version: 'v0.0.0', timings, clock, ...options },
  });
  replaced.set('13462', String(router.port)).set('13463', String(router.linkPort));
}

/** An application of a recording connects again when it has signed in again. */
async function openApplication(id: string): Promise<FramePeer> {
  applications.get(id)?.peer.close();
  const peer = await connectApplication(network, router.port, clients[id]!);
  applications.set(id, new RecordedApplication(id, peer));
  return peer;
}

const replay = new Replay({
  replaced,
  openApplication,
  async openControl() {
    listener.disconnectAll();
    return listener.accept();
  },
  async before({ frame, to, peer }) {
    if (to !== 'controller') return;
    const isSent = replay.control(peer)?.peer.unread.some(({ type }) => type === controlTypes.apiSessionHeartbeat);
    if (frame.type === controlTypes.apiSessionHeartbeat && !isSent) router.sendApiSessionHeartbeat();
    if (!isAlone) return;
    if (frame.type === controlTypes.createCircuit) await dialAs(caller, frame);
    if (frame.type === controlTypes.fault && subjectOf(frame) === FaultSubject.EGRESS)
      applications.get(caller)?.close();
  },
});

/** Whether the recording has no frames of applications. */
let isAlone = false;
const subjectOf = ({ body }: Frame) => decode(FaultSchema, body).subject;

async function dialAs(id: string, recorded: Frame): Promise<void> {
  const token = readHeader.text(recorded.headers.get(controlHeaders.apiSessionToken)) ?? '';
  if (applications.get(id)?.token !== token) {
    await openApplication(id);
    applications.get(id)?.hello(token);
    applications.get(id)?.answerAll();
  }
  applications.get(id)?.dial(recorded);
}

it('connects', () => replay.play(readRecording('01')));
it('accepts an application with its API session, and ends its connection with it', async () => {
  await replay.play(readRecording('02'));
  await applications.get(caller)!.peer.closed();
});
it('hosts', () => replay.play(readRecording('03')));
it('dials with encryption, and closes', () => replay.play(readRecording('04')));
it('dials without encryption', () => replay.play(readRecording('05')));
it('ends a terminator, and reports what comes late for a circuit', () => replay.play(readRecording('06')));
it('changes a terminator', () => replay.play(readRecording('07')));
it('passes on why a dial was refused', () => replay.play(readRecording('08')));
it('ends what was dialed with a removed session', () => replay.play(readRecording('09')));
it('ends the connection of a removed API session', async () => {
  await replay.play(readRecording('10'));
  await applications.get(caller)!.peer.closed();
});
it('says which terminators it has', () => replay.play(readRecording('11')));

it('confirms an idle circuit', async () => {
  isAlone = true;
  applications.get(host)?.answerAll();
  await replay.play(readRecording('12'));
});

it('connects again when the controller was restarted, and loses nothing', () => replay.play(readRecording('13')));

it('knows nothing but its keys after a restart', async () => {
  isAlone = false;
  router.kill();
  await start({ dataModel: router.dataModel });
  await replay.play(readRecording('14'));
});
