import { ApiError } from '../../core/api-error.ts';

/** Replaces the error of an authenticator whose certificate another authenticator has by 409 `CERT_IN_USE`. */
export function certificateInUse(cause?: ApiError['detail']): (error: unknown) => never {
  return (error) => {
    const isInUse = error instanceof ApiError && error.detail?.field === 'certFingerprint';
    throw isInUse ? new ApiError('CERT_IN_USE', cause ? { cause } : {}) : error;
  };
}
