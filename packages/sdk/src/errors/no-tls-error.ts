import { EdgeNetworkError, platformCode } from './errors.ts';

type TlsError = typeof import('./tls-error.ts');

/** For pages: a browser tells neither that TLS failed nor why. */
export const networkError: TlsError['networkError'] = (target, cause) =>
  new EdgeNetworkError(target, platformCode(cause), cause);

export const isCertificateRefused: TlsError['isCertificateRefused'] = () => false;

export const isUnsent: TlsError['isUnsent'] = () => false;
