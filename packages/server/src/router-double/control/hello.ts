import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { encode } from '../../router-messages/codec.ts';
import {
  LinkListenersSchema,
  RouterCapability,
  RouterMetadataSchema,
} from '../../router-messages/generated/router_pb.js';
import { frameOf, helloSequence } from '../channel/messages.ts';
import type { HelloChanges } from '../options.ts';

interface Hello {
  readonly id: string;
  /** Five parts with `|` between them. */
  readonly versionInfo: string;
  /** `tls:host:port`. `null`: the router takes no links. */
  readonly linkAddress: string | null;
  /** What the last controller called the connection before this one. `null`: this is the first. */
  readonly lastConnectionId: string | null;
  readonly changes: HelloChanges;
}

/** The groups of the routers that have links with each other. */
export const linkGroups: readonly string[] = ['default'];

/** What a router says that it is, in five parts: its version, its revision, when it was built, and for what. */
export function versionInfoOf(version: string): string {
  return `${version}|double|2026-01-01 00:00:00|linux|amd64`;
}

export function helloFrame({ id, versionInfo, linkAddress, lastConnectionId, changes }: Hello): Frame {
  const { text } = headerValue;
  const metadata = { capabilities: [RouterCapability.LINK_MANAGEMENT] };
  const all = new Map<number, Uint8Array>([
    [controlHeaders.versionInfo, text(versionInfo)],
    [controlHeaders.routerMetadata, encode(RouterMetadataSchema, metadata)],
  ]);
  if (lastConnectionId !== null) all.set(controlHeaders.connectionId, text(lastConnectionId));
  if (linkAddress !== null) {
    const listener = { address: linkAddress, protocol: 'tls', groups: [...linkGroups], localBinding: 'lo' };
    all.set(controlHeaders.linkListeners, encode(LinkListenersSchema, { listeners: [listener] }));
  }
  for (const [key, value] of changes.headers ?? []) all.set(key, value);
  const body = text(changes.id ?? id);
  return frameOf({ type: controlTypes.hello, headers: all, body }, helloSequence);
}

/** What a router needs to know of the controller that has accepted it. */
export interface Welcome {
  readonly connectionId: string | null;
  readonly controllerId: string | null;
  /** Whether the controller has a data model: only then a router gets the keys of session tokens. */
  readonly hasDataModel: boolean;
}

/** The bit of the capabilities. */
const dataModelBit = 4;

/**
 * Reads the answer to a hello. A text says why a router does not accept it.
 *
 * @param isFirst only then a router looks at the version of the controller
 */
export function readWelcome({ type, headers: all }: Frame, isFirst: boolean): Welcome | string {
  if (type !== controlTypes.result) return `the answer to the hello has the type ${type}`;
  if (readHeader.i32(all.get(controlHeaders.replyFor)) !== helloSequence) return 'no answer to the hello';
  if (!readHeader.boolean(all.get(controlHeaders.isSuccess))) return 'the controller refused the hello';
  const version = readHeader.text(all.get(controlHeaders.versionInfo));
  if (isFirst && version?.split('|').length !== 5) return 'no version header provided';
  const capabilities = all.get(controlHeaders.capabilities)?.at(-1) ?? 0;
  return {
    connectionId: readHeader.text(all.get(controlHeaders.connectionId)) ?? null,
    controllerId: readHeader.text(all.get(controlHeaders.answeringId)) ?? null,
    hasDataModel: ((capabilities >> dataModelBit) & 1) === 1,
  };
}
