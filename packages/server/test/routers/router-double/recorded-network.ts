import type { RouterDoubleOptions, RouterIdentity } from '@edge-controller/router-double';
import { RouterDouble } from '@edge-controller/router-double';
import { CreateTerminatorRequestSchema, decode, FaultSchema, FaultSubject } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import { fingerprintOf } from '../../../src/pki/certificate-prints.ts';
import { firstCertificateOf } from '../../../src/pki/pem.ts';
import type { TestClient } from '../../support/test-ca.ts';
import type { FramePeer } from './frame-peer.ts';
import { ControlListener, connectApplication } from './frame-peer.ts';
import type { TestNetwork } from './network.ts';
import { createNetwork } from './network.ts';
import { RecordedApplication } from './recorded-application.ts';
import type { RecordedFrame } from './recording.ts';
import { readRecording } from './recording.ts';
import { Replay } from './replay.ts';

/** The time of the recordings. */
const clock = () => Date.UTC(2026, 10, 22, 21);
const never = 3_600_000;
/** As short as a test needs them. */
const timings = {
  ...{ validate: 200, unroute: 60, forwardFault: 30, confirm: 200, idleCircuit: 1_000, connectEvents: never },
};

/** SHA-1 of the certificates in the recordings, and ports. */
const [issuer, routers, clients] = [
  '86b600e00864712e1586483a4cc5a5638fba8145',
  {
    Ad2KYjZ2Zg: { fingerprint: 'f395b368c7e5d0283651348352021310ca3b12f3', port: '13462', linkPort: '13463' },
    REDZAIxW0: { fingerprint: 'ad3caaec5e9e9ae58e16d82684a28dc05df24513', port: '13464', linkPort: '13465' },
  },
  {
    SwxfXjM1Zg: { fingerprint: '9e35c4d18b1cdcf8741c380e39e81c0e832f1cb6', router: 'Ad2KYjZ2Zg' },
    EmNKYjM1M: { fingerprint: '3eaffff099fa5fa1b45f79554c35ef0076db5b60', router: 'Ad2KYjZ2Zg' },
    'ucHZAI0Fx.': { fingerprint: '119435a2b9673cb4b57415c136946a976f9b2c6e', router: 'REDZAIxW0' },
  },
] as const;
type RouterId = keyof typeof routers;
type ApplicationId = keyof typeof clients;

/** Who there is in the recordings. */
export const [first, second] = ['Ad2KYjZ2Zg', 'REDZAIxW0'] as const satisfies readonly RouterId[];
export const [caller, host, farHost] = ['SwxfXjM1Zg', 'EmNKYjM1M', 'ucHZAI0Fx.'] as const;

/** The network of the recordings, with doubles in place of its routers. */
export class RecordedNetwork implements AsyncDisposable {
  readonly #network: TestNetwork;
  readonly #listener: ControlListener;
  readonly #replay: Replay;
  readonly #identities = new Map<string, RouterIdentity>();
  readonly #clients = new Map<string, TestClient>();
  readonly #routers = new Map<string, RouterDouble>();
  readonly #applications = new Map<string, RecordedApplication>();
  readonly #replaced = new Map<string, string>();
  /** Whether the next recordings have no frames of applications. */
  isAlone = false;

  private constructor(network: TestNetwork, listener: ControlListener) {
    this.#network = network;
    this.#listener = listener;
    this.#replaced.set(issuer, network.issuer.fingerprint);
    for (const [id, { fingerprint }] of Object.entries(clients)) {
      const client = network.application(id);
      this.#clients.set(id, client);
      this.#replaced.set(fingerprint, client.fingerprint);
    }
    this.#replay = new Replay({
      replaced: this.#replaced,
      openControl: (id) => this.#openControl(id),
      openApplication: (id) => this.#openApplication(id),
      before: ({ frame, to, peer }) => (to === 'controller' ? this.#before(peer, frame) : undefined),
    });
  }

  static async start(): Promise<RecordedNetwork> {
    const network = createNetwork();
    return new RecordedNetwork(network, await ControlListener.start(network));
  }

  /**
   * @param recording the number of a recording, or a part of it
   * @param leftOut types of frames that the recording does not have
   */
  play(recording: string | readonly RecordedFrame[], leftOut: readonly number[] = []): Promise<void> {
    return this.#replay.play(typeof recording === 'string' ? readRecording(recording) : recording, leftOut);
  }

  /** Plays a part of a recording in which the order depends on chance. */
  playInAnyOrder(part: readonly RecordedFrame[]): Promise<void> {
    return this.#replay.playInAnyOrder(part);
  }

  async startRouter(id: RouterId, options: Partial<RouterDoubleOptions> = {}): Promise<RouterDouble> {
    const identity = this.#identities.get(id) ?? this.#network.router(id);
    this.#identities.set(id, identity);
    const router = await RouterDouble.start({
      ...{ identity, controllers: [this.#listener.address], version: 'v0.0.0', timings, clock, ...options },
    });
    this.#routers.set(id, router);
    const { fingerprint, port, linkPort } = routers[id];
    this.#replaced.set(port, String(router.port)).set(linkPort, String(router.linkPort));
    this.#replaced.set(fingerprint, fingerprintOf(firstCertificateOf(identity.cert)));
    return router;
  }

  router(id: RouterId): RouterDouble {
    const router = this.#routers.get(id);
    if (!router) throw new Error(`the router ${id} was not started`);
    return router;
  }

  application(id: string): RecordedApplication {
    const application = this.#applications.get(id);
    if (!application) throw new Error(`the application ${id} is not connected`);
    return application;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { peer } of this.#applications.values()) peer.close();
    await Promise.all([...this.#routers.values()].map((router) => router.stop()));
    this.#listener.close();
  }

  #openControl(id: string): Promise<FramePeer> {
    this.#replay.control(id)?.peer.close();
    return this.#listener.accept();
  }

  /** An application of a recording connects again when it has signed in again. */
  async #openApplication(id: string): Promise<FramePeer> {
    this.#applications.get(id)?.peer.close();
    const [client, known] = [this.#clients.get(id), clients[id as ApplicationId]];
    if (!client || !known) throw new Error(`no application ${id}`);
    const peer = await connectApplication(this.#network, this.router(known.router).port, client);
    this.#applications.set(id, new RecordedApplication(id, peer));
    return peer;
  }

  /** Does what a router waits for and the recording does not show. */
  async #before(routerId: string, frame: Frame): Promise<void> {
    const unread = this.#replay.control(routerId)?.peer.unread ?? [];
    const isSent = unread.some(({ type }) => type === frame.type);
    if (frame.type === controlTypes.apiSessionHeartbeat && !isSent) {
      this.router(routerId as RouterId).sendApiSessionHeartbeat();
    }
    if (!this.isAlone) return;
    if (frame.type === controlTypes.createCircuit) {
      const token = readHeader.text(frame.headers.get(controlHeaders.apiSessionToken)) ?? '';
      (await this.#signedIn(caller, token)).dial(frame);
    } else if (frame.type === controlTypes.createTerminator) {
      const { apiSessionToken } = decode(CreateTerminatorRequestSchema, frame.body);
      (await this.#signedIn(farHost, apiSessionToken)).bind(frame);
    } else if (frame.type === controlTypes.fault) {
      const { subject } = decode(FaultSchema, frame.body);
      const isClosed = unread.some(({ type }) => type === controlTypes.fault);
      if (subject === FaultSubject.EGRESS && !isClosed) this.application(caller).close();
    }
  }

  async #signedIn(id: ApplicationId, token: string): Promise<RecordedApplication> {
    if (this.#applications.get(id)?.token !== token) {
      await this.#openApplication(id);
      this.application(id).hello(token);
      this.application(id).answerAll();
    }
    return this.application(id);
  }
}
