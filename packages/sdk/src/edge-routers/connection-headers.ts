import { edgeHeaders, headerValue } from '@edge-controller/shared-types/channel';

/** The headers of a message about one connection or bind. */
export function connectionHeaders(id: number, more: readonly [number, Uint8Array][] = []): Map<number, Uint8Array> {
  return new Map([[edgeHeaders.connId, headerValue.u32(id)], ...more]);
}
