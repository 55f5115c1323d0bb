import type { ErrorEntry, ErrorEnvelope } from '@edge-controller/shared-types';
import { errorCatalogue } from '@edge-controller/shared-types';
import { ApiError } from '../api-error.ts';
import type { Page } from '../stores/page.ts';

/** What the wire says for a list without limit: the largest 64-bit integer, which no JavaScript number holds. */
const noLimit = '9223372036854775807';

export function detailBody(data: unknown): string {
  return `{"data":${JSON.stringify(data)},"meta":{}}\n`;
}

export const emptyBody = detailBody({});

/** `href`: where the entity is to be read, relative to the API root. */
export function createBody(href: string, id: string): string {
  return detailBody({ _links: { self: { href } }, id });
}

/** Everything of a list that follows the rows. */
export function listEnd(page: Page<unknown>): string {
  const members: string[] = [];
  if (page.filterableFields?.length) members.push(`"filterableFields":${JSON.stringify(page.filterableFields)}`);
  if (page.pagination) {
    const { limit, offset, totalCount } = page.pagination;
    const limitText = limit === 'none' ? noLimit : String(limit);
    members.push(`"pagination":{"limit":${limitText},"offset":${offset},"totalCount":${totalCount}}`);
  }
  return `],"meta":{${members.join(',')}}}\n`;
}

/** Status and body of an error. What is no `ApiError` becomes `UNHANDLED` and tells nothing of itself. */
export function errorBody(error: unknown, requestId: string): { status: number; body: string } {
  const key = error instanceof ApiError ? error.code : 'UNHANDLED';
  const entry: ErrorEntry = errorCatalogue[key];
  const cause = error instanceof ApiError ? error.detail : undefined;
  const envelope: ErrorEnvelope = {
    error: { code: entry.code ?? key, message: entry.message, requestId, ...(cause ? { cause } : {}) },
    meta: { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' },
  };
  return { status: entry.status, body: `${JSON.stringify(envelope)}\n` };
}
