import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import type { AuthenticatorDetail } from './enrollment-facts.ts';
import { defaultValidity, expiryAfter } from './validity.ts';

/** Replaces a credential by an enrollment: for a device that has lost its key, or a person who has forgotten the password. */
export function EnrollAgain({ authenticator }: { readonly authenticator: AuthenticatorDetail }) {
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const { id, identity, method, username } = authenticator;
  const what = method === 'updb' ? `password of ${username}` : 'certificate';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => edge.management.authenticators.reEnroll(id, { expiresAt: expiryAfter(defaultValidity) }),
    onSuccess: async () => {
      setIsOpen(false);
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>{`Replace the ${what} …`}</Button>
      <Modal title={`Replace the ${what}`} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <p>
          The {what} of {identity.name ?? 'the identity'} stops working now, and its sessions end. It gets a new JWT to
          enroll again, valid for 1 day.
        </p>
        <ErrorNotice error={error} />
        <div className="row">
          <Button kind="danger" isDisabled={isPending} onPress={() => mutate()}>
            Replace
          </Button>
          <Button kind="quiet" onPress={() => setIsOpen(false)}>
            Cancel
          </Button>
        </div>
      </Modal>
    </>
  );
}
