import type { Route } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { connectionHeader } from './edge-channel.ts';
import type { EdgeParts } from './edge-parts.ts';
import { EdgeStream } from './edge-stream.ts';
import type { HostedTerminator } from './hosted-terminator.ts';
import { passedHeaders } from './passed-headers.ts';
import type { Terminators } from './terminators.ts';

/** Why a circuit could not be routed. */
export interface RouteFailure {
  readonly message: string;
  readonly code: number;
}

/** The header `routeErrorCode`. */
const failureCodes = { generic: 0, invalidTerminator: 1, timeout: 3 } as const;

/**
 * Asks the application that hosts the terminator of a circuit.
 *
 * @param onDone `null`: it has accepted, and the circuit has its egress
 */
export function dialHost(
  { circuits, timings }: EdgeParts,
  terminators: Terminators,
  { circuitId, egress, timeout }: Route,
  onDone: (failure: RouteFailure | null) => void,
): void {
  const [destination, address] = [egress?.destination ?? '', egress?.address ?? ''];
  const terminator = terminators.get(destination);
  if (!terminator) {
    onDone({ message: `terminator ${destination} not found`, code: failureCodes.invalidTerminator });
    return;
  }
  const { channel, connectionId } = terminator;
  const given = channel.nextAccepted();
  const headers = dialHeaders(terminator, { circuitId, given, peerData: egress?.peerData ?? {} });
  const milliseconds = Math.min(timings.dial, Number(timeout / 1_000_000n) || timings.dial);
  channel.request(
    { type: edgeTypes.dial, headers, body: headerValue.text(terminator.bind.token) },
    milliseconds,
    (reply) => {
      if (reply?.type !== edgeTypes.dialSuccess) return onDone(failureOf(reply));
      const id = readHeader.u32(reply.body) ?? given;
      const stream = new EdgeStream(channel, id);
      const isFree = channel.add(id, stream);
      const end = isFree && circuits.createEnd({ circuitId, address, isIngress: false, application: stream });
      if (!end) {
        if (isFree) channel.sendClosed(id, 'the circuit is gone');
        return onDone({ message: `connection ${id} of ${connectionId} is not possible`, code: failureCodes.generic });
      }
      stream.circuit = end;
      circuits.deliverWaiting(circuitId, end);
      onDone(null);
    },
  );
}

function failureOf(reply: Frame | null): RouteFailure {
  if (!reply) return { message: 'the application did not answer in time', code: failureCodes.timeout };
  return { message: new TextDecoder().decode(reply.body), code: failureCodes.generic };
}

interface Dial {
  readonly circuitId: string;
  /** The id of the new connection. */
  readonly given: number;
  readonly peerData: Readonly<Record<number, Uint8Array>>;
}

function dialHeaders({ connectionId, bind: { givesIds } }: HostedTerminator, { circuitId, given, peerData }: Dial) {
  const passed = passedHeaders(Object.entries(peerData).map(([key, value]) => [Number(key), value] as const));
  const headers = new Map([...passed, ...connectionHeader(connectionId)]);
  if (givesIds) headers.set(edgeHeaders.routerProvidedConnId, headerValue.u32(given));
  return headers.set(edgeHeaders.circuitId, headerValue.text(circuitId));
}
