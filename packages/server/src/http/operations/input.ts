import type { DocumentType, Operation } from '@edge-controller/shared-types';
import { ApiError, notFound } from '../../core/api-error.ts';
import { acceptedType } from '../../core/text/accepted-type.ts';
import type { Context, Middleware } from '../request-state.ts';
import type { Mounted } from './mounted.ts';
import { readBody } from './read-body.ts';

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

const json: DocumentType = 'application/json';

/**
 * Returns the media type of the response that `Accept` asks for. A client that accepts JSON is never refused, because every
 * error is JSON.
 *
 * @throws ApiError 406
 */
function responseType({ req }: Context, { produces = [json], ignoresAccept }: Operation): DocumentType {
  const [preferred = json] = produces;
  const { accept } = req.headers;
  // What most clients send needs no parser.
  if (ignoresAccept || !accept || accept === preferred || accept === '*/*') return preferred;
  const accepted = acceptedType(accept, produces);
  if (accepted) return accepted;
  if (acceptedType(accept, [json])) return preferred;
  throw new ApiError('NOT_ACCEPTABLE', {
    cause: { field: 'Accept', reason: `only ${produces.join(', ')} is available`, value: accept },
  });
}
