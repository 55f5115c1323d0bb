import type { DocumentType, ErrorCode } from '@edge-controller/shared-types';
import type Koa from 'koa';
import type { ApiRequest, Credentials } from '../core/call.ts';
import { shortId } from '../core/secrets/ids.ts';
import type { OperationRequests } from '../operate/metrics/request-metrics.ts';
import type { ActiveSession } from '../sessions/active-session.ts';

/** The operation of a request, as those see it who watch requests. */
export interface RecordedOperation {
  /** As in the OpenAPI documents: `listIdentities`. */
  readonly id: string;
  /** With the base of the API, and with the names of its parameters: `/edge/management/v1/identities/{id}`. */
  readonly route: string;
  /** Where its requests are counted, if anybody counts. */
  readonly requests: OperationRequests | undefined;
}

/** What the middleware of the controller keeps in `ctx.state`; an embedder's middleware may read it after `next()`. */
export interface RequestState {
  requestId?: string;
  /** Recorded only when somebody watches requests. */
  operation?: RecordedOperation;
  /** The code of the error that the client gets. */
  errorCode?: ErrorCode;
  /** Id of the trace, if the request is traced. */
  traceId?: string;
  /** The API of the operation. */
  api?: ApiRequest['api'];
  credentials?: Credentials;
  /** The API session of the request, once it is known to be live. */
  session?: ActiveSession;
  responseType?: DocumentType;
  /** The checked parameters and body that the handler is given. */
  input?: Readonly<Record<string, unknown>>;
}

/** `newRouterPath` is what @koa/router matches instead of the path of the request. */
export type Middleware = Koa.Middleware<RequestState, { newRouterPath?: string }>;
export type Context = Parameters<Middleware>[0];

/** Id of the request in the log and in error responses. Made on first use: most requests never need one. */
export function requestIdOf({ state }: { state: RequestState }): string {
  state.requestId ??= shortId();
  return state.requestId;
}
