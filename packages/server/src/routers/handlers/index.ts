import type { DescMessage, MessageShape } from '@edge-controller/router-messages';
import * as schemas from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { MessageHandler, RouterHandler } from '../dependencies.ts';
import { apiSessionHeartbeat, connectEvents, requestClientResync, validateSessions } from './api-sessions.ts';
import { extendRouter, extendRouterVerify } from './certificates.ts';
import { circuitConfirmation, createCircuit, fault, routeResult } from './circuits.ts';
import { clientHello, ping, requestControllers, routerInterfaces, subscribeToDataModel } from './connection.ts';
import { metrics, routerLinks, updateLinkListeners, verifyRouter } from './links.ts';
import { createTerminator, removeTerminators, updateTerminator } from './terminators.ts';

interface RouterMessage {
  readonly handle: RouterHandler;
  /** Bytes of a body, which take some milliseconds to read at most. A longer message is dropped. */
  readonly maxBody: number;
}

const kibibytes = (count: number) => count * 1024;
const defaultMaxBody = kibibytes(64);

/** A message whose body has a schema. What does not fit it ends the connection. */
function message<S extends DescMessage>(
  schema: S,
  handle: MessageHandler<MessageShape<S>>,
  maxBody = defaultMaxBody,
): RouterMessage {
  return { handle: (call) => handle(call, schemas.decode(schema, call.frame.body)), maxBody };
}

/** A message without a body, or whose handler reads it itself. */
function raw(handle: RouterHandler, maxBody = defaultMaxBody): RouterMessage {
  return { handle, maxBody };
}

const ignored = raw(() => undefined);

/**
 * The messages that the controller takes from a router: number → schema, handler, and the longest body where it is not 64 KiB. All others
 * are dropped and counted.
 */
export const routerMessages: ReadonlyMap<number, RouterMessage> = new Map([
  [controlTypes.ping, raw(ping)],
  [controlTypes.clientHello, message(schemas.ClientHelloSchema, clientHello)],
  [controlTypes.routerInterfaces, message(schemas.RouterInterfacesSchema, routerInterfaces)],
  [controlTypes.subscribeToDataModel, raw(subscribeToDataModel)],
  [controlTypes.apiSessionHeartbeat, message(schemas.ApiSessionHeartbeatSchema, apiSessionHeartbeat, kibibytes(512))],
  [controlTypes.requestClientResync, raw(requestClientResync)],
  [controlTypes.validateSessions, message(schemas.ValidateSessionsRequestSchema, validateSessions)],
  [controlTypes.connectEvents, message(schemas.ConnectEventsSchema, connectEvents, kibibytes(1024))],
  [controlTypes.createTerminator, message(schemas.CreateTerminatorRequestSchema, createTerminator)],
  [controlTypes.updateTerminator, message(schemas.UpdateTerminatorRequestSchema, updateTerminator)],
  [controlTypes.removeTerminators, message(schemas.RemoveTerminatorsRequestSchema, removeTerminators)],
  [controlTypes.createCircuit, raw(createCircuit)],
  [controlTypes.routeResult, raw(routeResult)],
  [controlTypes.fault, message(schemas.FaultSchema, fault, kibibytes(1024))],
  [controlTypes.circuitConfirmation, message(schemas.CircuitConfirmationSchema, circuitConfirmation, kibibytes(1024))],
  [controlTypes.routerLinks, message(schemas.RouterLinksSchema, routerLinks, kibibytes(512))],
  [controlTypes.updateLinkListeners, message(schemas.LinkListenersSchema, updateLinkListeners)],
  [controlTypes.requestControllers, raw(requestControllers)],
  [controlTypes.verifyRouter, message(schemas.VerifyRouterSchema, verifyRouter)],
  [controlTypes.metrics, raw(metrics, kibibytes(1024))],
  [controlTypes.extendRouter, message(schemas.ExtendRouterRequestSchema, extendRouter)],
  [controlTypes.extendRouterVerify, message(schemas.ExtendRouterVerifyRequestSchema, extendRouterVerify)],
  // The first frame after a reconnect says nothing, and the others are for operators.
  [controlTypes.reconnectPing, ignored],
  [controlTypes.linkState, ignored],
  [controlTypes.alerts, ignored],
  [controlTypes.healthEvent, ignored],
]);
