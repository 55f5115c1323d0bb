import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, FrameError, readHeader } from '@edge-controller/shared-types/channel';
import type { RouterVersion } from '../router-connections/connected-router.ts';
import { decode } from '../router-messages/codec.ts';
import { LinkListenersSchema, RouterCapability, RouterMetadataSchema } from '../router-messages/generated/router_pb.js';

/** What a router says of itself when it connects. */
export interface Hello {
  readonly routerId: string;
  readonly version: RouterVersion;
  /** The message `LinkListeners`, as it was sent. */
  readonly linkListeners: Uint8Array;
  readonly managesLinks: boolean;
}

/** Characters. */
const maxIdLength = 100;
const nothing = new Uint8Array();

/**
 * Reads the first frame of a router.
 *
 * @throws FrameError when it is no hello of a router
 */
export function readHello({ type, headers, body }: Frame): Hello {
  if (type !== controlTypes.hello) throw new FrameError(`the first frame is of type ${type}`);
  // Channels of other kinds have other checks in the original controller. Here there are none.
  if (headers.has(controlHeaders.channelType)) throw new FrameError('a channel of another kind');
  const routerId = readHeader.text(body) ?? '';
  if (routerId === '' || routerId.length > maxIdLength) throw new FrameError('no id of a router');
  const { capabilities } = decode(RouterMetadataSchema, headers.get(controlHeaders.routerMetadata) ?? nothing);
  const linkListeners = Uint8Array.from(headers.get(controlHeaders.linkListeners) ?? nothing);
  // The other routers are told what it says, so it must be something.
  decode(LinkListenersSchema, linkListeners);
  return {
    ...{ routerId, linkListeners },
    version: readVersion(readHeader.text(headers.get(controlHeaders.versionInfo)) ?? ''),
    managesLinks: capabilities.includes(RouterCapability.LINK_MANAGEMENT),
  };
}

function readVersion(text: string): RouterVersion {
  const parts = text.split('|');
  if (parts.length !== 5) throw new FrameError('no version with five parts');
  const [version = '', revision = '', buildDate = '', os = '', arch = ''] = parts;
  return { version, revision, buildDate, os, arch };
}
