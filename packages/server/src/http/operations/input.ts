import { notFound } from '../../core/api-error.ts';
import type { Context, Middleware } from '../request-state.ts';
import type { Mounted } from './mounted.ts';
import { readBody } from './read-body.ts';
import { responseType } from './response-type.ts';

/** Checks what the request asks for and sends, in the order of the wire: `Accept`, path, query, headers, body. */
export function input(mounted: Mounted): Middleware {
  const { operation, readQuery } = mounted;
  const { params, headers, body } = operation;
  return (ctx, next) => {
    ctx.state.responseType = responseType(ctx, operation);
    const values: Record<string, unknown> = {};
    if (params) values.params = readParams(ctx, params);
    if (readQuery) values.query = readQuery(ctx.querystring);
    if (headers) values.headers = headers.parse(ctx.headers);
    ctx.state.input = values;
    if (!body) return next();
    return readBody(ctx, mounted).then((read) => {
      values.body = read;
      return next();
    });
  };
}

function readParams(ctx: Context, schema: NonNullable<Mounted['operation']['params']>): unknown {
  const { params } = ctx as unknown as { params: Record<string, string> };
  const result = schema.safeParse(params);
  const isStorable = Object.values(params).every((value) => !value.includes('\0'));
  if (!result.success || !isStorable) throw notFound('row', String(params.id).slice(0, 256));
  return result.data;
}
