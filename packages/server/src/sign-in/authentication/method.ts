import type { Authenticate } from '@edge-controller/shared-types';
import type { AuthPolicy } from '../../credentials/sign-in-rules/auth-policy.ts';
import type { SessionCertificate } from '../../storage/session-store/session-certificates.ts';
import type { ApiSessionRecord } from '../../storage/session-store/session-store.ts';
import type { AuthenticationCall } from './dependencies.ts';

/** What an API session keeps of the client certificate that opened it. */
export type CertificateFacts = Pick<
  ApiSessionRecord,
  'caId' | 'caVersion' | 'isCertExtendable' | 'improperClientCertChain'
>;

/** What an API session keeps of the external JWT signer whose JWT opened it. */
export type SignerFacts = Pick<ApiSessionRecord, 'signerId' | 'signerVersion'>;

/** The identity that a primary method has authenticated. */
export interface AuthenticationResult {
  readonly identityId: string;
  readonly authenticatorId: string;
  /** The auth policy of the identity. */
  readonly policy: AuthPolicy;
  /** The version of the credential, if one statement has read it together with the proof. Otherwise it is read later. */
  readonly credentialVersion?: number | null;
  /** Only of a sign-in with a certificate. */
  readonly certificate?: CertificateFacts;
  /** Only of a sign-in with an external JWT. */
  readonly signer?: SignerFacts;
  /** When the API session ends because of what has opened it, in milliseconds since 1970. Default: nothing says so. */
  readonly endsAt?: number | null;
  /** The first certificates of the API session. Default: none. */
  readonly certificates?: readonly SessionCertificate[];
  /**
   * Returns false when the credentials were changed or removed during the sign-in. It runs after the session is stored,
   * with the version of the entities at this moment. It is skipped when `credentialVersion` is given and no change was
   * announced since the sign-in began.
   */
  isStillValid(version: string): Promise<boolean>;
}

/**
 * A primary authentication method.
 *
 * @throws ApiError when the credentials are not valid
 */
export type AuthenticationMethodHandler = (
  call: AuthenticationCall,
  body: Authenticate,
) => Promise<AuthenticationResult>;
