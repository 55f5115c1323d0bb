import { useEdge, useSession } from '@edge-controller/sdk/react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { askedStepUp, onAskedStepUp } from '../session/step-ups.ts';
import { AskCode } from '../totp/ask-code.tsx';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import { SignInForm } from './sign-in-form.tsx';

/**
 * Asks again who the person is, when the controller wants to know it before a change. The change waits meanwhile, with all that was
 * typed.
 */
export function StepUpDialog() {
  const edge = useEdge();
  const { session } = useSession();
  const asked = useSyncExternalStore(onAskedStepUp, askedStepUp);
  useEffect(() => edge.on('session', ({ state }) => state === 'full' && askedStepUp()?.done()), [edge]);
  // The pages go, and what waits with them.
  useEffect(() => () => askedStepUp()?.cancel(), []);
  if (asked === null) return null;
  return (
    <Modal title="Confirm that it is you" isOpen={session?.state === 'full'} onClose={asked.cancel}>
      <p className="soft">You signed in a while ago. Afterwards your change goes on, with what you have typed.</p>
      {asked.proofs.includes('code') ? <Code onDone={asked.done} /> : <SignInForm />}
      <Button kind="quiet" onPress={asked.cancel}>
        Cancel
      </Button>
    </Modal>
  );
}

function Code({ onDone }: { readonly onDone: () => void }) {
  const edge = useEdge();
  const send = useMutation({ mutationFn: (code: string) => edge.answer.totp(code), onSuccess: onDone });
  return (
    <AskCode
      action="Confirm"
      description="The code of your authenticator app, or one of your recovery codes."
      isPending={send.isPending}
      error={send.error}
      onSubmit={send.mutate}
    />
  );
}
