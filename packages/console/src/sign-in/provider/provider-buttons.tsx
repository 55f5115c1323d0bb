import type { GetToken } from '@edge-controller/sdk';
import type { OidcSigner } from '@edge-controller/sdk/oidc';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { explainProvider } from './explain-provider.ts';
import { openProvider } from './open-provider.ts';

interface Signer extends OidcSigner {
  readonly id: string;
  readonly name: string;
}

interface ProviderButtonsProps {
  readonly signers: readonly Signer[];
  /** Uses the JWT of the person who has signed in at the provider. */
  readonly onToken: (getToken: GetToken) => Promise<unknown>;
  /** Why the controller refused the JWT. */
  readonly error: unknown;
}

/** The sign-in that waits for its window. */
interface Waiting {
  readonly name: string;
  /** `null` until the provider has said where its page is. */
  readonly address: string | null;
}

/** One button for each provider. */
export function ProviderButtons({ signers, onToken, error: refusal }: ProviderButtonsProps) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [error, setError] = useState<unknown>(null);
  const current = useRef<AbortController>(null);
  useEffect(() => () => current.current?.abort(), []);
  const shown = error ?? refusal;

  async function start(signer: Signer): Promise<void> {
    const { name } = signer;
    const own = new AbortController();
    const { signal } = own;
    current.current?.abort();
    current.current = own;
    setWaiting({ name, address: null });
    setError(null);
    try {
      const onAddress = (address: string) => setWaiting({ name, address });
      // Who was refused may be somebody else at the provider.
      const getToken = await openProvider(signer, { asksAgain: shown !== null, signal, onAddress });
      await onToken(getToken);
    } catch (reason) {
      if (!signal.aborted) setError(reason);
    } finally {
      if (current.current === own) setWaiting(null);
    }
  }

  return (
    <div className="sign-in-ways">
      {shown !== null && waiting === null && <Notice kind="bad">{explainProvider(shown)}</Notice>}
      {waiting !== null && (
        <Notice>
          <p>Go on in the window of {waiting.name}.</p>
          <div className="row">
            {waiting.address !== null && (
              <a href={waiting.address} target="_blank" rel="noreferrer">
                Open the window again
              </a>
            )}
            <Button kind="quiet" onPress={() => current.current?.abort()}>
              Cancel
            </Button>
          </div>
        </Notice>
      )}
      {signers.map((signer) => (
        <Button key={signer.id} isDisabled={waiting !== null} onPress={() => void start(signer)}>
          Continue with {signer.name}
        </Button>
      ))}
    </div>
  );
}
