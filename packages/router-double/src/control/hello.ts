import { encode, LinkListenersSchema, RouterCapability, RouterMetadataSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { frameOf, helloSequence } from '../channel/messages.ts';
import type { HelloChanges } from '../options.ts';

interface Hello {
  readonly id: string;
  /** Five parts with `|` between them. */
  readonly versionInfo: string;
  /** `tls:host:port`. `null`: the router takes no links. */
  readonly linkAddress: string | null;
  /** The connection before this one. `null`: this is the first. */
  readonly before: Before | null;
  readonly changes: HelloChanges;
}

/** What a router has kept of the connection before. */
export interface Before {
  /** What the controller called it. */
  readonly connectionId: string;
  /** Of version 2: what the controller has given for the channel. */
  readonly groupSecret: Uint8Array | null;
  /** How many there were. */
  readonly count: number;
}

/** The groups of the routers that have links with each other. */
export const linkGroups: readonly string[] = ['default'];

/** What a router says that it is, in five parts: its version, its revision, when it was built, and for what. */
export function versionInfoOf(version: string): string {
  return `${version}|double|2026-01-01 00:00:00|linux|amd64`;
}

/** Whether routers of this version have channels of several connections, and know CAs. */
export function isVersion2(versionInfo: string): boolean {
  return /^v?[2-9]/.test(versionInfo);
}

export function helloFrame({ id, versionInfo, linkAddress, before, changes }: Hello): Frame {
  const { text } = headerValue;
  const isGrouped = isVersion2(versionInfo);
  const all = new Map<number, Uint8Array>([
    [controlHeaders.versionInfo, text(versionInfo)],
    ...(isGrouped ? groupHeaders(before) : headersOfVersion1(before)),
  ]);
  if (linkAddress !== null) {
    const listener = { address: linkAddress, protocol: 'tls', groups: [...linkGroups], localBinding: 'lo' };
    const header = isGrouped ? controlHeaders.groupedLinkListeners : controlHeaders.linkListeners;
    all.set(header, encode(LinkListenersSchema, { listeners: [listener] }));
  }
  for (const [key, value] of changes.headers ?? []) all.set(key, value);
  const body = text(changes.id ?? id);
  return frameOf({ type: controlTypes.hello, headers: all, body }, helloSequence);
}

function headersOfVersion1(before: Before | null): readonly (readonly [number, Uint8Array])[] {
  const metadata = { capabilities: [RouterCapability.LINK_MANAGEMENT] };
  return [
    [controlHeaders.routerMetadata, encode(RouterMetadataSchema, metadata)],
    ...(before ? [[controlHeaders.connectionId, headerValue.text(before.connectionId)] as const] : []),
  ];
}

/** Several connections, Connect-V2, posture checks, `bindSuccess`, and a data model. */
const capabilities = Uint8Array.of(0x40, 0, 0, 0, 0, 0, 0, 0x76);

function groupHeaders(before: Before | null): readonly (readonly [number, Uint8Array])[] {
  const { text, boolean } = headerValue;
  const kept = before?.groupSecret ? ([[controlHeaders.groupSecret, before.groupSecret]] as const) : [];
  return [
    [controlHeaders.channelType, text('ctrl.default')],
    [controlHeaders.isGrouped, boolean(true)],
    [controlHeaders.isFirstOfGroup, boolean(true)],
    [controlHeaders.groupedCapabilities, capabilities],
    ...(before ? [[controlHeaders.connectionId, text(`${before.connectionId}-${before.count}`)] as const] : []),
    ...kept,
  ];
}

/** What a router needs to know of the controller that has accepted it. */
export interface Welcome {
  readonly connectionId: string | null;
  readonly controllerId: string | null;
  /** Whether the controller has a data model: only then a router gets the keys of session tokens. */
  readonly hasDataModel: boolean;
  readonly groupSecret: Uint8Array | null;
}

/** The bits of the capabilities. */
const dataModelBit = 4;
const jwtSessionsBit = 6;

/**
 * Reads the answer to a hello. A text says why a router does not accept it.
 *
 * `before`: the connection before this one. Only without one, a router looks at the version of the controller.
 */
export function readWelcome(
  { type, headers: all }: Frame,
  { before, isGrouped }: { readonly before: Before | null; readonly isGrouped: boolean },
): Welcome | string {
  if (type !== controlTypes.result) return `the answer to the hello has the type ${type}`;
  if (readHeader.i32(all.get(controlHeaders.replyFor)) !== helloSequence) return 'no answer to the hello';
  if (!readHeader.boolean(all.get(controlHeaders.isSuccess))) return 'the controller refused the hello';
  const version = readHeader.text(all.get(controlHeaders.versionInfo));
  if (before === null && version?.split('|').length !== 5) return 'no version header provided';
  const { capabilities: ofVersion1, groupedCapabilities } = controlHeaders;
  const bits = (all.get(groupedCapabilities) ?? all.get(ofVersion1))?.at(-1) ?? 0;
  const groupSecret = all.get(controlHeaders.groupSecret) ?? null;
  if (isGrouped) {
    if (!groupSecret) return 'no group secret header found for multi-underlay channel';
    if (before?.groupSecret && !Buffer.from(before.groupSecret).equals(groupSecret)) return 'incorrect group secret';
    if (((bits >> jwtSessionsBit) & 1) === 0) return 'controller does not support JWT format legacy sessions';
  }
  return {
    connectionId: readHeader.text(all.get(controlHeaders.connectionId)) ?? null,
    controllerId: readHeader.text(all.get(controlHeaders.answeringId)) ?? null,
    hasDataModel: ((bits >> dataModelBit) & 1) === 1,
    groupSecret,
  };
}
