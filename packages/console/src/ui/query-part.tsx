import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isWithoutRight } from '../api/explain-error.ts';
import { ErrorNotice } from './notice.tsx';
import { Refusal } from './refusal.tsx';

interface QueryPartProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'>;
  /** What it shows, as in "You may not see …". */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** A part of a page that has a query of its own. Without the permission it says so in one line. */
export function QueryPart<Data>({ query: { data, error }, what, children }: QueryPartProps<Data>) {
  if (isWithoutRight(error)) return <Refusal act={`see ${what}`} />;
  return (
    <>
      <ErrorNotice error={error} />
      {data !== undefined ? children(data) : error === null && <p className="soft">Loading …</p>}
    </>
  );
}
