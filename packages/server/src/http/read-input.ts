import type { IncomingMessage } from 'node:http';
import { invalidField, notFound } from '../api-error.ts';
import type { Mounted } from './mount.ts';
import { checkAccept, checkContentType } from './negotiate.ts';
import { parseJsonObject } from './parse-json.ts';
import { validateBody } from './validate-body.ts';

interface Raw {
  readonly request: IncomingMessage;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: Buffer | null;
}

/** What the handler of an operation is given: checked parameters, query and body, in the order of the wire's checks. */
export function readInput({ operation, readQuery }: Mounted, raw: Raw): Record<string, unknown> {
  checkAccept(raw.request, operation.answer === 'png' ? 'image/png' : undefined);
  const hasContent = operation.body !== undefined && raw.body !== null && raw.body.length > 0;
  if (hasContent) checkContentType(raw.request);
  const input: Record<string, unknown> = {};
  if (operation.params) {
    const params = operation.params.safeParse(raw.params);
    if (!params.success) throw notFound('row', String(raw.params.id).slice(0, 256));
    input.params = params.data;
  }
  if (readQuery) input.query = readQuery(raw.query);
  if (operation.headers) input.headers = operation.headers.parse(raw.request.headers);
  if (operation.body) {
    if (!hasContent && !operation.bodyOptional) throw invalidField('body', 'body in body is required', '');
    const body = hasContent && raw.body ? parseJsonObject(raw.body) : {};
    input.body = validateBody(operation.body, body);
  }
  return input;
}
