import type { Authenticate, CurrentApiSessionDetail } from '@edge-controller/shared-types';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';

type Told = Pick<Authenticate, 'configTypes' | 'envInfo' | 'sdkInfo'>;

/** What a sign-in with a password takes. */
export interface PasswordCredentials extends Told {
  readonly username: string;
  readonly password: string;
}

export interface SignIn {
  /**
   * Signs in with a username and a password. The new session replaces the one held before, which the controller
   * keeps until its timeout; sign out first to end it.
   *
   * @throws EdgeApiError `INVALID_AUTH` when the controller refuses, whatever the reason.
   */
  password(credentials: PasswordCredentials, options?: CallOptions): Promise<Session>;
}

interface SignInParts {
  authenticate(
    query: { method: 'password' },
    body: Authenticate,
    options?: CallOptions,
  ): Promise<CurrentApiSessionDetail>;
  begin(detail: CurrentApiSessionDetail): Promise<Session>;
  sdkInfo: Authenticate['sdkInfo'];
}

export function createSignIn({ authenticate, begin, sdkInfo }: SignInParts): SignIn {
  return {
    password: async ({ username, password, configTypes, envInfo, sdkInfo: own }, options) => {
      const told = { configTypes, envInfo, sdkInfo: own ?? sdkInfo };
      return begin(await authenticate({ method: 'password' }, { username, password, ...told }, options));
    },
  };
}
