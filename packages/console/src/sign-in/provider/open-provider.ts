import { memoryStorage } from '@edge-controller/sdk';
import type { Oidc, OidcSigner } from '@edge-controller/sdk/oidc';
import { createOidc } from '@edge-controller/sdk/oidc';
import { returnChannel, returnPath } from './return-path.ts';

interface OpenOptions {
  /** Whether the provider asks who it is, also when it knows somebody already. */
  readonly asksAgain: boolean;
  readonly signal: AbortSignal;
  /** Gets the address of the window, which the browser may have blocked. */
  readonly onAddress: (address: string) => void;
}

/**
 * Sends the person to the provider of a signer in a window of its own, so that this page keeps what was typed and its session.
 * Resolves when the person has come back.
 *
 * @throws EdgeOidcError; the reason of `signal`
 */
export async function openProvider(
  signer: OidcSigner,
  { asksAgain, signal, onAddress }: OpenOptions,
): Promise<Oidc['getToken']> {
  const redirectUri = new URL(returnPath, location.href);
  const oidc = createOidc({ signer, redirectUri, pendingStorage: memoryStorage() });
  const url = await oidc.authorizationUrl(asksAgain ? { prompt: 'login' } : {});
  signal.throwIfAborted();
  const isBack = comesBack(oidc, signal);
  window.open(url, '_blank', 'popup,width=520,height=720');
  onAddress(url.href);
  await isBack;
  return oidc.getToken;
}

/** Windows of other tabs use the same channel: `callback` knows its own by the state. */
function comesBack(oidc: Oidc, signal: AbortSignal): Promise<void> {
  const channel = new BroadcastChannel(returnChannel);
  const back = Promise.withResolvers<void>();
  channel.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string' || !URL.canParse(data)) return;
    const close = () => channel.postMessage('received');
    oidc.callback(data).then(
      (isOwn) => {
        if (!isOwn) return;
        close();
        back.resolve();
      },
      (error: unknown) => {
        close();
        back.reject(error);
      },
    );
  });
  signal.addEventListener('abort', () => back.reject(signal.reason), { once: true });
  return back.promise.finally(() => channel.close());
}
