import type { Result } from '@edge-controller/shared-types';
import type { ApiRequest } from '../../core/call.ts';
import type { Page } from '../../core/filter/page.ts';
import { addressGroup } from '../../core/text/address-group.ts';
import { SplitResponse } from '../../core/turns/split-response.ts';
import { isOfBrowser } from '../browser-requests.ts';
import type { Context, Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';
import { listBody } from './list-body.ts';
import type { Mounted } from './mounted.ts';

/** Calls the handler of an operation and responds with what it returns. */
export function handler(mounted: Mounted, services: object): Middleware {
  return async (ctx) => respond(ctx, mounted, await mounted.handler(createCall(ctx, services), ctx.state.input));
}

/** The call sees the services through its prototype: to spread them would cost more than the rest of it. */
function createCall(ctx: Context, services: object): ApiRequest {
  const { api, credentials, session, responseType } = ctx.state;
  return Object.assign(Object.create(services), {
    api,
    credentials,
    session,
    responseType,
    clientAddress: ctx.ip,
    clientNetwork: () => addressGroup(ctx.ip),
    isOfBrowser: () => isOfBrowser(ctx.req),
    requestId: () => requestIdOf(ctx),
    setHeader: (name: string, value: string) => ctx.set(name, value),
  });
}

/** Writes what a handler returned into the response that its operation promises. */
async function respond(ctx: Context, mounted: Mounted, output: unknown): Promise<void> {
  const { operation } = mounted;
  if (operation.result === 'create' || operation.result === 'created') ctx.status = 201;
  // Without a charset: existing clients compare the whole value.
  ctx.set('Content-Type', operation.result === 'document' ? (ctx.state.responseType ?? '') : 'application/json');
  // Closes the connection instead of waiting for a body that nobody reads.
  if (!ctx.req.complete) ctx.set('Connection', 'close');
  if (operation.result === 'list') ctx.body = await listBody(ctx, output as Page<unknown>, mounted.strip);
  else ctx.body = bodies[operation.result](mounted, output);
}

type Body = (mounted: Mounted, output: unknown) => unknown;

const detail: Body = (mounted, output) =>
  envelope(
    output instanceof SplitResponse ? textOfParts(output, mounted) : textOf(output, mounted),
    mounted.operation.meta,
  );

/** The envelope of a success response. */
function envelope(data: string, meta?: null): string {
  return `{"data":${data},"meta":${meta === null ? meta : '{}'}}\n`;
}

function textOf(value: unknown, { strip }: Mounted): string {
  return JSON.stringify(strip ? strip(value) : value);
}

/** Strips both parts by the schema of the operation. The text of the constant part is made once for each object. */
function textOfParts({ constant, changing }: SplitResponse<object>, mounted: Mounted): string {
  const { constantTexts } = mounted;
  let text = constantTexts.get(constant);
  if (text === undefined) {
    text = textOf(constant, mounted).slice(0, -1);
    constantTexts.set(constant, text);
  }
  return `${text},${textOf(changing, mounted).slice(1)}`;
}

const bodies: Readonly<Record<Exclude<Result, 'list'>, Body>> = {
  detail,
  create({ collection }, output) {
    const { id, href = `./${collection}/${id}` } = output as { id: string; href?: string };
    return envelope(JSON.stringify({ _links: { self: { href } }, id }));
  },
  created: detail,
  empty: () => envelope('{}'),
  document: (_mounted, output) => (output instanceof Uint8Array ? Buffer.from(output) : output),
};
