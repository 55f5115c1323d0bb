import { networkInterfaces } from 'node:os';
import {
  ApiSessionHeartbeatSchema,
  CircuitConfirmationSchema,
  ConnectEventsSchema,
  encode,
  RouterInterfacesSchema,
  ValidateSessionsRequestSchema,
} from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { EdgeChannel } from '../edge/edge-channel.ts';
import type { ControlParts } from './control-parts.ts';

type ReportParts = Pick<ControlParts, 'control' | 'edge' | 'sessions'>;

/** Of one message. */
const [maxTokens, maxSessions] = [10_000, 1_000] as const;

/** Tells which API sessions are connected. They live by it. */
export function reportApiSessions({ control, edge }: ReportParts): void {
  const tokens = [...new Set(edge.channels.map(({ token }) => token))];
  for (const part of chunksOf(tokens, maxTokens)) {
    const body = encode(ApiSessionHeartbeatSchema, { tokens: part });
    control.send({ type: controlTypes.apiSessionHeartbeat, body });
  }
}

/** Asks which of the sessions have ended while there was no connection. */
export function validateSessions({ control, sessions }: ReportParts): void {
  for (const sessionTokens of chunksOf(sessions.dialing(), maxSessions)) {
    const body = encode(ValidateSessionsRequestSchema, { sessionTokens });
    control.send({ type: controlTypes.validateSessions, body });
  }
}

/** Tells which identities are connected: these, or all. */
export function reportConnections({ control, edge }: ReportParts, changed: readonly string[] | 'all'): void {
  const fullState = changed === 'all';
  const identityIds = fullState ? [...new Set(edge.channels.map(({ identityId }) => identityId))] : changed;
  const events = identityIds.map((identityId) => {
    const channels = edge.channels.filter((channel) => channel.identityId === identityId);
    return { identityId, isConnected: channels.length > 0, connectTimes: channels.map(connectTimeOf) };
  });
  control.send({ type: controlTypes.connectEvents, body: encode(ConnectEventsSchema, { events, fullState }) });
}

/** Id → milliseconds for which the circuit has been idle. */
export function confirmCircuits({ control }: Pick<ReportParts, 'control'>, idle: ReadonlyMap<string, number>): void {
  const idleTimes = Object.fromEntries([...idle].map(([id, time]) => [id, BigInt(Math.round(time)) * 1_000_000n]));
  const body = encode(CircuitConfirmationSchema, { circuitIds: [...idle.keys()], idleTimes });
  control.send({ type: controlTypes.circuitConfirmation, body });
}

/** Tells which network interfaces the machine has. */
export function reportInterfaces({ control }: Pick<ReportParts, 'control'>): void {
  const interfaces = Object.entries(networkInterfaces()).map(([name, addresses = []], at) => ({
    name,
    hardwareAddress: addresses.find(({ mac }) => !/^[0:]*$/.test(mac))?.mac ?? '',
    index: BigInt(at + 1),
    addresses: addresses.flatMap(({ cidr }) => cidr ?? []),
  }));
  const body = encode(RouterInterfacesSchema, { interfaces });
  control.send({ type: controlTypes.routerInterfaces, body });
}

function connectTimeOf({ connectedAt, addresses }: EdgeChannel) {
  return { connectTime: BigInt(Math.floor(connectedAt)), srcAddr: addresses.source, dstAddr: addresses.destination };
}

function chunksOf(all: readonly string[], size: number): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
