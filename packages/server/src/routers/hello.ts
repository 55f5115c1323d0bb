import { randomBytes } from 'node:crypto';
import { decode, LinkListenersSchema, RouterCapability, RouterMetadataSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, FrameError, readHeader } from '@edge-controller/shared-types/channel';
import { base62Id } from '../core/secrets/ids.ts';
import type { RouterVersion } from '../network/router-connections/connected-router.ts';

/** What a router says of itself when it connects. */
export interface Hello {
  readonly routerId: string;
  readonly version: RouterVersion;
  /** The message `LinkListeners`, as it was sent. */
  readonly linkListeners: Uint8Array;
  readonly managesLinks: boolean;
  /** What its channel is. `null`: of version 1, which is one connection. */
  readonly group: ChannelGroup | null;
  /** What a router of version 2 can do, as bits. */
  readonly capabilities: bigint;
}

/** A channel that may have several connections. This controller never takes a second one. */
export interface ChannelGroup {
  readonly type: string;
  /** The id that the router has, or that the controller gives it. */
  readonly connectionId: string;
  /** What would prove that a further connection is of this channel. */
  readonly secret: Uint8Array;
}

/** Characters. */
const maxIdLength = 100;
/** Bytes. */
const secretLength = 16;
const maxSecretLength = 100;
const channelTypes = ['ctrl.default', 'ctrl.high', 'ctrl.low'];
const nothing = new Uint8Array();

/**
 * Reads the first frame of a router.
 *
 * @throws FrameError when it is no hello of a router
 */
export function readHello({ type, headers, body }: Frame): Hello {
  if (type !== controlTypes.hello) throw new FrameError(`the first frame is of type ${type}`);
  const group = readGroup(headers);
  const routerId = readHeader.text(body) ?? '';
  if (routerId === '' || routerId.length > maxIdLength) throw new FrameError('no id of a router');
  const { linkListeners: ofVersion1, groupedLinkListeners: ofVersion2 } = controlHeaders;
  const linkListeners = Uint8Array.from(headers.get(group ? ofVersion2 : ofVersion1) ?? nothing);
  // The other routers get what it says, so it must be something.
  decode(LinkListenersSchema, linkListeners);
  return {
    ...{ routerId, linkListeners, group },
    version: readVersion(readHeader.text(headers.get(controlHeaders.versionInfo)) ?? ''),
    managesLinks: group !== null || managesLinks(headers),
    capabilities: group ? readBits(headers.get(controlHeaders.groupedCapabilities)) : 0n,
  };
}

/**
 * The type of a channel decides nothing but how its headers are read: all checks of a router follow for each. A hello that says it is not
 * the first of its channel has none that it belongs to.
 */
function readGroup(headers: Frame['headers']): ChannelGroup | null {
  const isGrouped = readHeader.boolean(headers.get(controlHeaders.isGrouped)) ?? false;
  if (!isGrouped && !headers.has(controlHeaders.channelType)) return null;
  const type = readHeader.text(headers.get(controlHeaders.channelType)) ?? '';
  if (!isGrouped || !channelTypes.includes(type)) throw new FrameError('a channel of another kind');
  if (!readHeader.boolean(headers.get(controlHeaders.isFirstOfGroup))) {
    throw new FrameError('a further connection of a channel that is not there');
  }
  const id = readHeader.text(headers.get(controlHeaders.connectionId)) ?? '';
  const secret = headers.get(controlHeaders.groupSecret) ?? nothing;
  if (id.length > maxIdLength || secret.length > maxSecretLength)
    throw new FrameError('the id of a channel is too long');
  return {
    type,
    connectionId: id === '' ? base62Id() : id,
    // A router that connects again keeps the secret of the channel that is gone.
    secret: secret.length > 0 ? Uint8Array.from(secret) : randomBytes(secretLength),
  };
}

function managesLinks(headers: Frame['headers']): boolean {
  const { capabilities } = decode(RouterMetadataSchema, headers.get(controlHeaders.routerMetadata) ?? nothing);
  return capabilities.includes(RouterCapability.LINK_MANAGEMENT);
}

/** A big-endian number of eight bytes at most. */
function readBits(bytes: Uint8Array = nothing): bigint {
  if (bytes.length > 8) throw new FrameError('the capabilities are too long');
  return bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

function readVersion(text: string): RouterVersion {
  const parts = text.split('|');
  if (parts.length !== 5) throw new FrameError('no version with five parts');
  const [version = '', revision = '', buildDate = '', os = '', arch = ''] = parts;
  return { version, revision, buildDate, os, arch };
}
