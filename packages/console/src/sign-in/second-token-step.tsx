import { useAuthQueries, useEdge } from '@edge-controller/sdk/react';
import { useQuery } from '@tanstack/react-query';
import { JwtForm } from './jwt-form.tsx';
import { ProviderButtons } from './provider/provider-buttons.tsx';

/** Asks for the JWT of a signer as a second factor: from its provider when a browser can sign in there, or pasted. */
export function SecondTokenStep({ signerId }: { readonly signerId: string }) {
  const edge = useEdge();
  const { answer, isPending, error } = useAuthQueries();
  const { data: signers = [], isPending: isLoading } = useQuery({
    queryKey: ['list', 'client', 'signers'],
    queryFn: ({ signal }) => edge.signers({ signal }),
  });
  if (isLoading) return <p className="soft">Loading …</p>;
  const signer = signers.find(({ id }) => id === signerId);
  if (signer?.externalAuthUrl && signer.clientId) {
    return (
      <>
        <p>{signer.name} must confirm who you are.</p>
        <ProviderButtons signers={[signer]} onToken={(getToken) => answer.extJwt(getToken)} error={error} />
      </>
    );
  }
  return (
    <>
      <p>A token of {signer?.name ?? 'another signer'} must confirm who you are.</p>
      <JwtForm action="Continue" isPending={isPending} error={error} onSubmit={(token) => void answer.extJwt(token)} />
    </>
  );
}
