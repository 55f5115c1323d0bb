import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explainError } from '../../api/explain-error.ts';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { CaSelect } from './ca-select.tsx';
import type { IdentityDetail } from './enrollment-facts.ts';
import { defaultValidity, expiryAfter, validities } from './validity.ts';

const methods = [
  { id: 'ott', label: 'Certificate of the network' },
  { id: 'updb', label: 'User name and password' },
  { id: 'ottca', label: 'Certificate of a CA' },
] as const;
type Method = (typeof methods)[number]['id'];

interface NewEnrollmentProps {
  readonly identity: IdentityDetail;
  readonly onClose: () => void;
}

/** Makes an enrollment for an identity. */
export function NewEnrollment({ identity, onClose }: NewEnrollmentProps) {
  const queries = useQueryClient();
  const [method, setMethod] = useState<Method>('ott');
  const [username, setUsername] = useState(identity.name);
  const [caId, setCaId] = useState<string | null>(null);
  const [hours, setHours] = useState<string>(defaultValidity);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      edge.management.enrollments.create({
        ...{ identityId: identity.id, method, expiresAt: expiryAfter(hours) },
        ...(method === 'updb' && { username }),
        ...(method === 'ottca' && caId !== null && { caId }),
      }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries();
    },
  });
  const isUnsaved = method !== 'ott' || hours !== defaultValidity;
  const problem = error === null ? null : explainError(error);
  const errorAt = (field: string) => (problem?.field === field ? problem.text : undefined);
  const isAtField = problem?.field === 'username' || problem?.field === 'caId';
  return (
    <Modal title={`New enrollment of ${identity.name}`} isOpen onClose={onClose}>
      {(cancel) => (
        <Form onSubmit={() => mutate()} isUnsaved={isUnsaved}>
          <Select
            label="What the identity gets"
            options={methods}
            value={method}
            onChange={(id) => setMethod(methods.find((one) => one.id === id)?.id ?? 'ott')}
          />
          {method === 'updb' && (
            <TextField
              label="User name"
              value={username}
              onChange={setUsername}
              error={errorAt('username')}
              isRequired
              minLength={4}
              maxLength={100}
            />
          )}
          {method === 'ottca' && <CaSelect value={caId} onChange={setCaId} error={errorAt('caId')} />}
          <Select label="The JWT is valid for" options={validities} value={hours} onChange={setHours} />
          {problem !== null && !isAtField && <Notice kind="bad">{problem.text}</Notice>}
          <div className="row">
            <Button type="submit" kind="primary" isDisabled={isPending}>
              Create the enrollment
            </Button>
            <Button kind="quiet" onPress={cancel}>
              Cancel
            </Button>
          </div>
        </Form>
      )}
    </Modal>
  );
}
