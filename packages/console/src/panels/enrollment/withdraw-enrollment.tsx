import { useMutation, useQueryClient } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';
import { InlineConfirm } from '../../ui/inline-confirm.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import type { EnrollmentDetail } from './enrollment-facts.ts';
import { methodNames } from './obstacles.ts';

/** Withdraws an enrollment after a question. */
export function WithdrawEnrollment({ enrollment: { id, method } }: { readonly enrollment: EnrollmentDetail }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => edge.management.enrollments.delete(id),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <div className="row">
      <InlineConfirm
        name={`Withdraw the enrollment ${methodNames[method]}`}
        acts={[{ label: 'Withdraw it', run: () => mutate() }]}
        isDisabled={isPending}
      >
        Withdraw
      </InlineConfirm>
      <ErrorNotice error={error} />
    </div>
  );
}
