import type { DescMessage } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import {
  ApiSessionHeartbeatSchema,
  CircuitConfirmationSchema,
  ClientHelloSchema,
  CreateTerminatorRequestSchema,
  decode,
  FaultSchema,
  LinkListenersSchema,
  RemoveTerminatorsRequestSchema,
  RouterLinksSchema,
  RouterMetadataSchema,
  SubscribeToDataModelRequestSchema,
  UpdateTerminatorRequestSchema,
  ValidateSessionsRequestSchema,
  ValidateTerminatorsResponseSchema,
  VerifyRouterSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import {
  headers as all,
  controlHeaders,
  controlTypes,
  edgeHeaders,
  readHeader,
} from '@edge-controller/shared-types/channel';

/** The messages that a router sends to the controller. */
const bodies: Readonly<Record<number, DescMessage>> = {
  [controlTypes.routerLinks]: RouterLinksSchema,
  [controlTypes.subscribeToDataModel]: SubscribeToDataModelRequestSchema,
  [controlTypes.clientHello]: ClientHelloSchema,
  [controlTypes.createTerminator]: CreateTerminatorRequestSchema,
  [controlTypes.updateTerminator]: UpdateTerminatorRequestSchema,
  [controlTypes.removeTerminators]: RemoveTerminatorsRequestSchema,
  [controlTypes.validateTerminatorsResponse]: ValidateTerminatorsResponseSchema,
  [controlTypes.fault]: FaultSchema,
  [controlTypes.circuitConfirmation]: CircuitConfirmationSchema,
  [controlTypes.apiSessionHeartbeat]: ApiSessionHeartbeatSchema,
  [controlTypes.validateSessions]: ValidateSessionsRequestSchema,
  [controlTypes.verifyRouter]: VerifyRouterSchema,
};

/** What differs from run to run: times, versions, connection ids, and what a sequence answers. */
const leftOut = new Set<number>([
  ...[all.connectionId, all.replyFor, all.versionInfo, all.heartbeat, all.heartbeatResponse],
]);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** What can be compared of a frame that a router sends. */
export function showFrame(frame: Frame, to: 'controller' | 'application'): unknown {
  const entries = [...frame.headers].filter(([key]) => !leftOut.has(key)).sort(([one], [other]) => one - other);
  const isEdge = to === 'application';
  return {
    type: frame.type,
    sequence: frame.sequence === -1 ? -1 : 'counted',
    isReply: frame.headers.has(all.replyFor),
    headers: entries.map(([key, value]) => [key, showHeader(frame.type, key, { value, isEdge })]),
    body: isEdge ? hex(frame.body) : showBody(frame),
  };
}

function showHeader(type: number, key: number, { value, isEdge }: { value: Uint8Array; isEdge: boolean }): unknown {
  if (isEdge) return key === edgeHeaders.answeringId ? 'the router' : hex(value);
  if (type === controlTypes.hello && key === controlHeaders.linkListeners) return json(LinkListenersSchema, value);
  if (type === controlTypes.hello && key === controlHeaders.routerMetadata) return json(RouterMetadataSchema, value);
  if (type === controlTypes.createCircuit && key === controlHeaders.peerData) {
    const entries = [...readHeader.bytesByNumber(value)].sort(([one], [other]) => one - other);
    return entries.map(([number, bytes]) => [number, hex(bytes)]);
  }
  if (type === controlTypes.createCircuit && key === controlHeaders.fingerprints) return readHeader.texts(value);
  return hex(value);
}

function showBody({ type, body }: Frame): unknown {
  const schema = bodies[type];
  return schema ? withoutChance(json(schema, body)) : hex(body);
}

/** What a run decides, or an application: ports, addresses, times, the order of tokens. */
function withoutChance(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message), (name, value) => {
    if (['port', 'connState', 'detail'].includes(name)) return undefined;
    if (name === 'idleTimes') return Object.keys(value);
    return name === 'tokens' ? value.sort() : value;
  });
}

function json(schema: DescMessage, bytes: Uint8Array): unknown {
  return toJson(schema, decode(schema, bytes));
}
