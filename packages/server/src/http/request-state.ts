import type { DocumentType } from '@edge-controller/shared-types';
import type Koa from 'koa';
import type { ApiRequest, Credentials } from '../call.ts';
import { shortId } from '../lib/ids.ts';
import type { ActiveSession } from '../sessions/active-session.ts';

/** What the middleware of the controller keeps in `ctx.state`; an embedder's middleware may read it after `next()`. */
export interface RequestState {
  requestId?: string;
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
