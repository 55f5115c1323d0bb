import type { IncomingMessage } from 'node:http';
import type { Operation } from '@edge-controller/shared-types';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { ApiError, invalidField } from '../../core/api-error.ts';
import { parseJson, parseText, Unreadable } from '../../core/text/parse-json.ts';
import type { Context } from '../request-state.ts';
import type { Mounted } from './mounted.ts';
import { unparsable, validateBody } from './validate-body.ts';

const json = 'application/json';
/** What a body without a media type counts as (RFC 9110, 8.3). */
const unknownType = 'application/octet-stream';

/**
 * Reads the body of a request and checks it against the schema of its operation.
 *
 * @throws ApiError 413 above the limit, 415 for another media type, 400 for a body that is missing, unreadable or invalid
 */
export async function readBody(ctx: Context, { operation, bodyLimit }: Mounted): Promise<unknown> {
  const { body: schema, bodyOptional } = operation;
  if (schema === undefined) return undefined;
  const bytes = hasBody(ctx.req) ? await readBytes(ctx.req, bodyLimit) : null;
  if (bytes !== null && bytes.length > 0) {
    checkContentType(ctx, operation);
    return validateBody(schema, parse(ctx, operation, bytes));
  }
  if (!bodyOptional) throw invalidField('body', 'body in body is required', '');
  return validateBody(schema, {});
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new ApiError('REQUEST_ENTITY_TOO_LARGE', { origin: error });
    }
    throw new ApiError('COULD_NOT_PARSE_BODY', { origin: error });
  }
}

/** Media types compare without regard to case; parameters do not count. */
function checkContentType(ctx: Context, operation: Operation): void {
  const types = operation.consumes ?? [operation.body instanceof z.ZodString ? 'text/plain' : json];
  if (!ctx.is(...types)) {
    throw unsupported('Content-Type', `only ${types.join(', ')} is supported`, ctx.request.type || unknownType);
  }
  const coding = ctx.get('Content-Encoding').trim();
  if (coding !== '' && coding.toLowerCase() !== 'identity') {
    throw unsupported('Content-Encoding', 'no content coding is supported', coding);
  }
}

function unsupported(field: string, reason: string, value: string): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', { cause: { field, reason, value } });
}

function parse(ctx: Context, operation: Operation, bytes: Buffer): unknown {
  try {
    return parseAs(ctx, operation, bytes);
  } catch (error) {
    throw error instanceof Unreadable ? unparsable(error.message) : error;
  }
}

function parseAs(ctx: Context, { body: schema, textMember }: Operation, bytes: Buffer): unknown {
  if (!ctx.is(json)) {
    const text = parseText(bytes);
    return textMember === undefined ? text : { [textMember]: text };
  }
  // `null` counts as an empty object, as on the wire.
  const value = parseJson(bytes) ?? {};
  if (schema instanceof z.ZodArray && !Array.isArray(value)) throw new Unreadable('the body is not a JSON array');
  if (schema instanceof z.ZodObject && (typeof value !== 'object' || Array.isArray(value))) {
    throw new Unreadable('the body is not a JSON object');
  }
  return value;
}
