import type { DocumentType, Operation } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { acceptedType } from '../../core/text/accepted-type.ts';
import type { Context } from '../request-state.ts';

const json: DocumentType = 'application/json';

/**
 * Returns the media type of the response that `Accept` asks for. A client that accepts JSON is never refused, because every
 * error is JSON.
 *
 * @throws ApiError 406
 */
export function responseType({ req }: Context, { produces = [json], ignoresAccept }: Operation): DocumentType {
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
