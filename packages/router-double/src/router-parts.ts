import {
  decode,
  encode,
  FaultSchema,
  PublicKeySchema,
  RequestClientReSyncSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { Circuits } from './circuits/circuits.ts';
import { systemClock } from './clock.ts';
import { ControlChannel } from './control/control-channel.ts';
import type { ControlParts } from './control/control-parts.ts';
import type { Before, Welcome } from './control/hello.ts';
import { helloFrame, isVersion2, versionInfoOf } from './control/hello.ts';
import { confirmCircuits } from './control/reports.ts';
import { createEdgeHandlers } from './edge/edge-handlers.ts';
import type { EdgeListenerOptions } from './edge/edge-listener.ts';
import { EdgeListener } from './edge/edge-listener.ts';
import { Terminators } from './edge/terminators.ts';
import type { FrameLog } from './frame-log.ts';
import { Links } from './links/links.ts';
import type { RouterDoubleOptions } from './options.ts';
import { defaultTimings } from './options.ts';
import type { RouterIdentity } from './router-identity.ts';
import { ApiSessions } from './sessions/api-sessions.ts';
import { ServiceSessions } from './sessions/service-sessions.ts';
import { SessionKeys } from './sessions/session-keys.ts';
import { Timers } from './timers.ts';

/** What the parts report to the router. */
interface RouterEvents {
  readonly identity: () => RouterIdentity;
  readonly onOpen: (welcome: Welcome, isFirst: boolean) => void;
  readonly onClose: (reason: string) => void;
  readonly onControlFrame: (frame: Frame) => void;
  /** The router has all API sessions. */
  readonly onSynced: () => void;
  /** An application of this identity has connected, or is gone. */
  readonly onApplication: (identityId: string) => void;
}

/** Makes the parts of a router. Its listeners run; it is not connected to a controller. */
export async function startRouterParts(
  options: RouterDoubleOptions,
  events: RouterEvents,
  log: FrameLog,
): Promise<ControlParts> {
  const { host = '127.0.0.1', port = 0, linkPort = 0, version = 'v1.7.2', clock = systemClock } = options;
  const timings = { ...defaultTimings, ...options.timings };
  const timers = new Timers();
  const versionInfo = versionInfoOf(version);
  const { identity } = events;
  const control: ControlChannel = new ControlChannel({
    ...{ identity, timings, timers, clock, controllers: options.controllers ?? options.identity.controllers },
    ...{ onOpen: events.onOpen, onClose: events.onClose, onFrame: events.onControlFrame },
    isGrouped: isVersion2(version),
    helloFrame: (before) => hello(options, { versionInfo, linkAddress: links.address, before }),
    observe: (direction, frame) => log.add({ channel: 'control', direction, frame }),
  });
  const circuits = new Circuits({
    ...{ timers, timings },
    reportFault: (subject, id) =>
      control.send({ type: controlTypes.fault, body: encode(FaultSchema, { subject, id }) }),
    confirm: (idleTimes) => confirmCircuits({ control }, idleTimes),
  });
  const links = new Links({
    ...{ identity, host, port: linkPort, isVersion2: isVersion2(version), control, circuits, timings, timers },
  });
  const apiSessions = createApiSessions(
    { timers, syncTime: timings.sync, control, onSynced: events.onSynced },
    (token) => edge.closeToken(token),
  );
  const sessions = new ServiceSessions(timings.removedSession);
  const keys = new SessionKeys(clock);
  const edgeParts = { control, circuits, sessions, keys, timings, timers, isVersion2: isVersion2(version) };
  const terminators = new Terminators(edgeParts);
  const handlers = createEdgeHandlers(edgeParts, terminators);
  const edgeOptions = {
    ...{ identity: options.identity, host, port, versionInfo, apiSessions, timers, clock },
    ...{ unknownToken: timings.unknownToken, tamper: options.tamper ?? ((frame) => [frame]) },
    onFrame: (channel, frame) => handlers[frame.type]?.(channel, frame),
    isTrusted: (chain) => !isVersion2(version) || keys.haveIssued(chain),
    onChange: events.onApplication,
    observe: (direction, frame) => log.add({ channel: 'edge', direction, frame }),
  } satisfies EdgeListenerOptions;
  const edge: EdgeListener = await openListeners(edgeOptions, links);
  const { index = 0n, timelineId = '', keys: saved = [] } = options.dataModel ?? {};
  for (const key of saved) edgeParts.keys.add(decode(PublicKeySchema, key));
  const dataModel = { index, timelineId, isSubscribed: false };
  return { ...edgeParts, versionInfo, host, apiSessions, dataModel, terminators, links, edge };
}

/** Opens both or none. */
async function openListeners(options: EdgeListenerOptions, links: Links): Promise<EdgeListener> {
  let edge: EdgeListener | null = null;
  try {
    edge = await EdgeListener.start(options);
    await links.start();
    return edge;
  } catch (error) {
    options.timers.clear();
    void edge?.close();
    throw error;
  }
}

function hello(
  { identity, hello: changes = {} }: RouterDoubleOptions,
  said: { versionInfo: string; linkAddress: string | null; before: Before | null },
): Frame | null {
  return changes === 'none' ? null : helloFrame({ ...said, id: identity.id, changes });
}

interface Sync {
  readonly timers: Timers;
  readonly syncTime: number;
  readonly control: ControlChannel;
  readonly onSynced: () => void;
}

function createApiSessions({ timers, syncTime, control, onSynced }: Sync, onRemoved: (token: string) => void) {
  const reason = 'the full state was not complete in time';
  const body = encode(RequestClientReSyncSchema, { reason });
  const onIncomplete = () => control.send({ type: controlTypes.requestClientResync, body });
  return new ApiSessions({ timers, syncTime, onSynced, onRemoved, onIncomplete });
}
