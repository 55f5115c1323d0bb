import { edgeHeaders } from '@edge-controller/shared-types/channel';

/** What a dialing application sends to the host. The controller and the routers pass it on as it is. */
const passedOn: ReadonlySet<number> = new Set([
  ...[edgeHeaders.publicKey, edgeHeaders.callerId, edgeHeaders.appData, edgeHeaders.connectionMarker],
]);

export function passedHeaders(all: Iterable<readonly [number, Uint8Array]>): Map<number, Uint8Array> {
  return new Map([...all].filter(([key]) => passedOn.has(key)));
}
