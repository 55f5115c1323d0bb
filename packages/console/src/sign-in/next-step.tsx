import type { Session } from '@edge-controller/sdk';
import { useEdge } from '@edge-controller/sdk/react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { NewPasswordStep } from './new-password-step.tsx';
import { SecondTokenStep } from './second-token-step.tsx';
import { TotpStep } from './totp-step.tsx';

type Query = Session['authQueries'][number];

/** What the controller asks of a session that is partial. */
export function NextStep({ query }: { readonly query: Query }) {
  const edge = useEdge();
  return (
    <div className="stack">
      <Answer query={query} />
      <Button kind="quiet" onPress={() => void edge.signOut()}>
        Cancel
      </Button>
    </div>
  );
}

function Answer({ query }: { readonly query: Query }) {
  if (query.typeId === 'MFA') return <TotpStep />;
  if (query.typeId === 'EXT-JWT') return <SecondTokenStep signerId={query.id} />;
  if (query.typeId === 'NEW-PASSWORD') return <NewPasswordStep />;
  return <Notice kind="bad">The controller asks for something that this version of the console does not know.</Notice>;
}
