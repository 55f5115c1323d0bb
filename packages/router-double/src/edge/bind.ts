import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, readHeader } from '@edge-controller/shared-types/channel';

/** What an application says when it wants to host a service. */
export interface Bind {
  readonly request: Frame;
  /** The JWT of the session. */
  readonly token: string;
  /** Chosen by the application. It keeps its terminator when it binds again with the same one. */
  readonly listenerId: string;
  readonly cost: number;
  readonly precedence: number;
  readonly instanceId: string;
  readonly instanceSecret: Uint8Array | undefined;
  readonly publicKey: Uint8Array | undefined;
  readonly canInspect: boolean;
  readonly wantsSuccess: boolean;
  /** Whether the router chooses the ids of the connections that are dialed. */
  readonly givesIds: boolean;
}

/** @throws FrameError */
export function readBind(request: Frame): Bind {
  const { headers, body } = request;
  const { text, boolean, u8, u16 } = readHeader;
  return {
    request,
    token: text(body) ?? '',
    listenerId: text(headers.get(edgeHeaders.listenerId)) ?? '',
    cost: u16(headers.get(edgeHeaders.cost)) ?? 0,
    precedence: u8(headers.get(edgeHeaders.precedence)) ?? 0,
    instanceId: text(headers.get(edgeHeaders.terminatorIdentity)) ?? '',
    instanceSecret: headers.get(edgeHeaders.terminatorIdentitySecret),
    publicKey: headers.get(edgeHeaders.publicKey),
    canInspect: boolean(headers.get(edgeHeaders.supportsInspect)) ?? false,
    wantsSuccess: boolean(headers.get(edgeHeaders.supportsBindSuccess)) ?? false,
    givesIds: boolean(headers.get(edgeHeaders.routerProvidedConnId)) ?? false,
  };
}
