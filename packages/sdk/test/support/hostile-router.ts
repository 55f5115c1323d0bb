import { enrollRouter, RouterDouble } from '@edge-controller/server/router-double';
import type { Frame } from '@edge-controller/shared-types/channel';
import { dataFlags, edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { KeyPair } from '../../src/edge-routers/key-exchange.ts';
import { agreeOnKeys, createKeyPair } from '../../src/edge-routers/key-exchange.ts';
import { SecretStream } from '../../src/edge-routers/secret-stream.ts';
import type { TestController } from '../../src/testing/test-controller.ts';

type End = 'dialer' | 'host';
export type Tamper = (frame: Frame) => readonly Frame[];

const firstAccepted = 2 ** 31;
const empty = new Uint8Array();

/** The only router of a controller, whose owner decides what it makes of each frame that an application sends. */
export async function startHostileRouter(controller: TestController) {
  const { edgeRouters, edgeRouterPolicies, serviceEdgeRouterPolicies } = controller.admin.management;
  const policy = { name: 'all', semantic: 'AnyOf' } as const;
  const all = ['#all'];
  await edgeRouterPolicies.create({ ...policy, edgeRouterRoles: all, identityRoles: all });
  await serviceEdgeRouterPolicies.create({ ...policy, edgeRouterRoles: all, serviceRoles: all });
  const { id } = await edgeRouters.create({ name: 'hostile' });
  const identity = await enrollRouter({ jwt: (await edgeRouters.get(id)).enrollmentJwt ?? '' });
  const honest: Tamper = (frame) => [frame];
  let tamper = honest;
  const router = await RouterDouble.start({
    ...{ identity, controllers: [controller.routersAddress], clock: controller.clock.now },
    tamper: (frame) => tamper(frame),
  });
  await router.whenOnline();
  return {
    identity,
    /** Returns what ends it. */
    becomes(next: Tamper): Disposable {
      tamper = next;
      return {
        [Symbol.dispose]() {
          tamper = honest;
        },
      };
    },
    [Symbol.asyncDispose]: () => router.stop(),
  };
}

/** The end that has sent data: a router gives the ids of connections to hosts. */
export function senderOf({ headers }: Frame): End {
  return (readHeader.u32(headers.get(edgeHeaders.connId)) ?? 0) < firstAccepted ? 'dialer' : 'host';
}

export const isData = ({ type }: Frame) => type === edgeTypes.data;

/** The frame that ends the data of who has sent this one. */
export function finLike(frame: Frame): Frame {
  return { ...frame, headers: withHeader(frame, edgeHeaders.flags, headerValue.u32(dataFlags.fin)), body: empty };
}

export function withHeader({ headers }: Frame, name: number, value: Uint8Array): Map<number, Uint8Array> {
  return new Map([...headers, [name, value]]);
}

/**
 * A router that gives each end a key of its own instead of that of the other end, decrypts what comes, and encrypts it again.
 *
 * @param change What it makes of a message.
 */
export function manInTheMiddle(change: (message: Buffer, from: End) => readonly Uint8Array[]): Tamper {
  const own: Record<End, KeyPair> = { dialer: createKeyPair(), host: createKeyPair() };
  const theirs: Record<End, Uint8Array> = { dialer: empty, host: empty };
  let streams: Partial<Record<End, { readonly opening: SecretStream; readonly sealing: SecretStream }>> = {};

  /** For who has sent it, the router is the other end. */
  function begin(from: End, header: Uint8Array) {
    const to = from === 'dialer' ? 'host' : 'dialer';
    const [receiving, sending] = from === 'dialer' ? (['hosts', 'dials'] as const) : (['dials', 'hosts'] as const);
    streams[from] = {
      opening: new SecretStream(agreeOnKeys(own[to], theirs[from], receiving).receive, header),
      sealing: new SecretStream(agreeOnKeys(own[from], theirs[to], sending).send, header),
    };
  }

  function changeKey(frame: Frame, from: End): Frame[] {
    theirs[from] = Uint8Array.from(frame.headers.get(edgeHeaders.publicKey) ?? []);
    return [{ ...frame, headers: withHeader(frame, edgeHeaders.publicKey, own[from].publicKey) }];
  }

  return (frame) => {
    if (frame.type === edgeTypes.bind) return changeKey(frame, 'host');
    if (frame.type === edgeTypes.connect) {
      streams = {};
      return changeKey(frame, 'dialer');
    }
    const isOlder = theirs.dialer.length === 0 || theirs.host.length === 0;
    if (!isData(frame) || frame.body.length === 0 || isOlder) return [frame];
    const from = senderOf(frame);
    const stream = streams[from];
    if (!stream) {
      begin(from, frame.body);
      return [frame];
    }
    const { opening, sealing } = stream;
    const message = Buffer.from(opening.open(frame.body));
    if (opening.hasEnded) return [{ ...frame, body: sealing.sealEnd() }];
    return change(message, from).map((changed) => ({ ...frame, body: sealing.seal(changed) }));
  };
}
