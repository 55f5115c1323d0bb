import { controlHeaders, headerValue } from '@edge-controller/shared-types/channel';

const { text, boolean } = headerValue;

/** The headers of the hello of a router of version 2. */
export const groupedHello: readonly (readonly [number, Uint8Array])[] = [
  [controlHeaders.versionInfo, text('v2.1.0|revision|2026-01-01|linux|amd64')],
  [controlHeaders.channelType, text('ctrl.default')],
  [controlHeaders.isGrouped, boolean(true)],
  [controlHeaders.isFirstOfGroup, boolean(true)],
  [controlHeaders.groupedCapabilities, Uint8Array.of(0x40, 0, 0, 0, 0, 0, 0, 0x76)],
];
