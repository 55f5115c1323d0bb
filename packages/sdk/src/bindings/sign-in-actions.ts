import type { Session } from '../api/session.ts';
import type { ClientInfo, JwtCredentials, PasswordCredentials, SignInOptions } from '../api/sign-in.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import type { Progress } from './progress.ts';
import { idle } from './progress.ts';

/**
 * The functions of `edge.signIn` for event handlers. They never reject: they resolve to `null`, and `error` of `useSignIn` has
 * the error. A call while another one is pending aborts that one, so the last call counts. The end of the component aborts nothing.
 *
 * @example
 * const { signIn } = useSignIn();
 * const submit = () => signIn.password({ username, password });
 */
export interface SignInActions {
  /** Signs in with a username and a password. */
  password(credentials: PasswordCredentials, options?: SignInOptions): Promise<Session | null>;
  /** Signs in with the client certificate of the TLS connection. */
  certificate(info?: ClientInfo, options?: SignInOptions): Promise<Session | null>;
  /** Signs in with a JWT of an external signer. */
  extJwt(credentials: JwtCredentials, options?: SignInOptions): Promise<Session | null>;
}

/** What a component can do with its sign-in. */
export interface TrackedSignIn {
  /** Always the same functions. */
  readonly signIn: SignInActions;
  /** Aborts a pending sign-in, if there is one, and forgets the error. */
  readonly reset: () => void;
}

/** Makes the functions of one component. `show` gets each change of their progress. */
export function trackSignIn({ signIn }: EdgeClient, show: (progress: Progress) => void): TrackedSignIn {
  let current: AbortController | undefined;

  function replace(next: AbortController | undefined, progress: Progress): void {
    current?.abort();
    current = next;
    show(progress);
  }

  async function run(
    start: (options: SignInOptions) => Promise<Session>,
    options: SignInOptions = {},
  ): Promise<Session | null> {
    const own = new AbortController();
    const abort = () => own.abort(options.signal?.reason);
    if (options.signal?.aborted) abort();
    options.signal?.addEventListener('abort', abort, { signal: own.signal });
    replace(own, { isPending: true, error: null });
    let error: unknown = null;
    try {
      return await start({ ...options, signal: own.signal });
    } catch (reason) {
      error = reason;
      return null;
    } finally {
      if (current === own) replace(undefined, { isPending: false, error });
    }
  }

  return {
    signIn: {
      password: (credentials, options) => run((tracked) => signIn.password(credentials, tracked), options),
      certificate: (info, options) => run((tracked) => signIn.certificate(info, tracked), options),
      extJwt: (credentials, options) => run((tracked) => signIn.extJwt(credentials, tracked), options),
    },
    reset: () => replace(undefined, idle),
  };
}
