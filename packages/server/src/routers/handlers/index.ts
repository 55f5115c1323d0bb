import { controlTypes } from '@edge-controller/shared-types/channel';
import type { RouterHandler } from '../services.ts';
import { apiSessionHeartbeat, connectEvents, requestClientResync, validateSessions } from './api-sessions.ts';
import { extendRouter, extendRouterVerify } from './certificates.ts';
import { circuitConfirmation, createCircuit, fault, routeResult } from './circuits.ts';
import { clientHello, ping, routerInterfaces, subscribeToDataModel } from './connection.ts';
import { metrics, routerLinks, verifyRouter } from './links.ts';
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
