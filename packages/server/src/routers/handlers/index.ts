import { controlTypes } from '@edge-controller/shared-types/channel';
import type { RouterHandler } from '../services.ts';
import { apiSessionHeartbeat, connectEvents, requestClientResync, validateSessions } from './api-sessions.ts';
import { extendRouter, extendRouterVerify } from './certificates.ts';
import { circuitConfirmation, createCircuit, fault, routeResult } from './circuits.ts';
import { clientHello, ping, requestControllers, routerInterfaces, subscribeToDataModel } from './connection.ts';
import { metrics, routerLinks, updateLinkListeners, verifyRouter } from './links.ts';
import { createTerminator, removeTerminators, updateTerminator } from './terminators.ts';

const nothing: RouterHandler = () => undefined;

/** What the controller does with each message of a router. Others are dropped. */
export const routerHandlers: ReadonlyMap<number, RouterHandler> = new Map([
  [controlTypes.ping, ping],
  [controlTypes.clientHello, clientHello],
  [controlTypes.routerInterfaces, routerInterfaces],
  [controlTypes.subscribeToDataModel, subscribeToDataModel],
  [controlTypes.apiSessionHeartbeat, apiSessionHeartbeat],
  [controlTypes.requestClientResync, requestClientResync],
  [controlTypes.validateSessions, validateSessions],
  [controlTypes.connectEvents, connectEvents],
  [controlTypes.createTerminator, createTerminator],
  [controlTypes.updateTerminator, updateTerminator],
  [controlTypes.removeTerminators, removeTerminators],
  [controlTypes.createCircuit, createCircuit],
  [controlTypes.routeResult, routeResult],
  [controlTypes.fault, fault],
  [controlTypes.circuitConfirmation, circuitConfirmation],
  [controlTypes.routerLinks, routerLinks],
  [controlTypes.updateLinkListeners, updateLinkListeners],
  [controlTypes.requestControllers, requestControllers],
  [controlTypes.verifyRouter, verifyRouter],
  [controlTypes.metrics, metrics],
  [controlTypes.extendRouter, extendRouter],
  [controlTypes.extendRouterVerify, extendRouterVerify],
  // The first frame after a reconnect says nothing, and the others are for operators.
  [controlTypes.reconnectPing, nothing],
  [controlTypes.linkState, nothing],
  [controlTypes.alerts, nothing],
  [controlTypes.healthEvent, nothing],
]);

/** Bytes of a body, which take some milliseconds to read at most. */
const defaultMaxBody = 64 * 1024;
const maxBodies: ReadonlyMap<number, number> = new Map([
  ...[controlTypes.apiSessionHeartbeat, controlTypes.routerLinks].map((type) => [type, 512 * 1024] as const),
  ...[controlTypes.circuitConfirmation, controlTypes.fault].map((type) => [type, 1024 * 1024] as const),
  ...[controlTypes.connectEvents, controlTypes.metrics].map((type) => [type, 1024 * 1024] as const),
]);

/** How long the body of a message of this type may be. A longer one is dropped. */
export function maxBodyOf(type: number): number {
  return maxBodies.get(type) ?? defaultMaxBody;
}
