import { setTimeout as sleep } from 'node:timers/promises';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { EdgeApplication } from '../../packages/server/test/routers/router-double/edge-application.ts';
import type { Done, Order } from './order.ts';
import type { Parts } from './router.ts';

interface Hosted {
  readonly dialer: EdgeApplication;
  readonly token: string;
}

let hosted: Promise<Hosted> | null = null;
/** Milliseconds. */
const rest = 50;
/** What an application that hosts says about its connection. */
const bindType = 2;

export async function openCircuits(
  parts: Parts,
  { atOnce, seconds }: Extract<Order, { kind: 'circuits' }>,
): Promise<Done> {
  hosted ??= startHost(parts);
  const { dialer, token } = await hosted;
  const start = performance.now();
  let count = 0;
  const line = async () => {
    while (performance.now() - start < seconds * 1_000) {
      (await dialer.dial(token)).close();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  const end = performance.now();
  // The ends of the last ones are still on their way.
  await sleep(rest);
  return { count, seconds: (end - start) / 1_000 };
}

async function startHost({ host, onlineRouter }: Parts): Promise<Hosted> {
  const router = await onlineRouter();
  const [hosting, dialer] = [await host.connect(router), await host.connect(router)];
  await hosting.host((await host.session('Bind')).token);
  acceptAll(hosting);
  forgetCloses(dialer);
  return { dialer, token: (await host.session('Dial')).token };
}

/** Accepts whoever dials, says that it hosts, and keeps nothing of what comes. */
function acceptAll(application: EdgeApplication): void {
  application.peer.onFrame = ({ type, sequence, headers }) => {
    const connection = readHeader.u32(headers.get(edgeHeaders.connId)) ?? 0;
    const replyFor = [edgeHeaders.replyFor, headerValue.i32(sequence)] as const;
    if (type === edgeTypes.connectionInspect)
      application.send(edgeTypes.connectionInspectResponse, [
        [...replyFor],
        [edgeHeaders.connId, headerValue.u32(connection)],
        [edgeHeaders.connectionType, headerValue.u8(bindType)],
      ]);
    if (type !== edgeTypes.dial) return true;
    const given = headers.get(edgeHeaders.routerProvidedConnId);
    application.send(edgeTypes.dialSuccess, [[...replyFor], [edgeHeaders.connId, headerValue.u32(connection)]], given);
    return true;
  };
}

/** Keeps only replies. */
function forgetCloses(application: EdgeApplication): void {
  application.peer.onFrame = ({ headers }) => !headers.has(edgeHeaders.replyFor);
}
