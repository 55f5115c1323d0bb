import type { ReactNode } from 'react';
import { explainError } from '../api/explain-error.ts';

interface NoticeProps {
  readonly kind?: 'bad' | 'good';
  readonly children: ReactNode;
}

/** A sentence that matters now. Screen readers speak an error at once. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div className={kind === undefined ? 'notice' : `notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** What went wrong; nothing without an error. */
export function ErrorNotice({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  return <Notice kind="bad">{explainError(error).text}</Notice>;
}
