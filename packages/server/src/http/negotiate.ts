import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

const json = 'application/json';

/** 406 unless the client takes JSON, or `own` where an answer has a media type of its own. */
export function checkAccept(request: IncomingMessage, own = json): void {
  const accept = request.headers.accept;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === json) return;
  const takes = accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== '*/*' && type !== 'application/*' && type !== json && type !== own) return false;
    return !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
  if (!takes) {
    throw new ApiError('NOT_ACCEPTABLE', { cause: { field: 'Accept', reason: `only ${own} is available` } });
  }
}

/** 415 unless the body is JSON as it is. Media types compare without regard to case; parameters do not count. */
export function checkContentType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type !== json && type?.split(';')[0]?.trim().toLowerCase() !== json) {
    throw unsupported('Content-Type', `only ${json} is supported`);
  }
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') {
    throw unsupported('Content-Encoding', 'no content coding is supported');
  }
}

function unsupported(field: string, reason: string): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', { cause: { field, reason } });
}
