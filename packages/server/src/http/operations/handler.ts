import type { Call, Services } from '../../call.ts';
import type { Context, Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';
import type { Mounted } from './mounted.ts';
import { respond } from './respond.ts';

/** Calls the handler of an operation and responds with what it returns. */
export function handler(mounted: Mounted, services: Services): Middleware {
  return async (ctx) => respond(ctx, mounted, await mounted.handler(createCall(ctx, services), ctx.state.input));
}

/** The call sees the services through its prototype: to spread them would cost more than the rest of it. */
function createCall(ctx: Context, services: Services): Call {
  const { api, credentials, session, responseType } = ctx.state;
  return Object.assign(Object.create(services), {
    api,
    credentials,
    session,
    responseType,
    clientAddress: ctx.ip,
    requestId: () => requestIdOf(ctx),
    setHeader: (name: string, value: string) => ctx.set(name, value),
  });
}
