import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callOf } from '../../api/calls.ts';
import { pageOf } from '../../api/rows.ts';
import { useTable } from '../../api/tables.ts';
import { titleOf } from '../../api/titles.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { RowsTable } from './rows-table.tsx';

const pageSize = 25;
/** Rows that are shown of a list that the controller sends whole. */
const maxRows = 500;

interface RelatedListProps {
  readonly resource: string;
  readonly id: string;
  readonly verb: string;
}

/** What belongs to an entity, page by page. */
export function RelatedList({ resource, id, verb }: RelatedListProps) {
  const [offset, setOffset] = useState(0);
  const entry = useTable('management')[resource]?.verbs[verb];
  const isPaged = entry?.query?.some(({ name }) => name === 'limit') === true;
  const { data, error, isPending } = useQuery({
    queryKey: ['list', 'management', resource, verb, id, offset],
    queryFn: async () =>
      pageOf(await callOf('management', resource, verb)(id, ...(isPaged ? [{ limit: pageSize, offset }] : []))),
    placeholderData: keepPreviousData,
  });
  if (isPending) return <p className="soft">Loading …</p>;
  if (data === undefined) return <ErrorNotice error={error} />;
  const { rows, total } = data;
  const last = offset + rows.length;
  return (
    <div className="stack">
      <ErrorNotice error={error} />
      {rows.length === 0 ? (
        <p className="card soft">There are none.</p>
      ) : (
        <RowsTable label={titleOf(verb)} columns={entry?.columns ?? []} rows={rows.slice(0, maxRows)} />
      )}
      {rows.length > 0 && (
        <div className="row spread">
          <span role="status" className="soft">
            {(offset + 1).toLocaleString()}–{last.toLocaleString()} of {total.toLocaleString()}
          </span>
          {isPaged && total > pageSize && (
            <span className="row">
              <Button isDisabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - pageSize))}>
                Previous
              </Button>
              <Button isDisabled={last >= total} onPress={() => setOffset(offset + pageSize)}>
                Next
              </Button>
            </span>
          )}
        </div>
      )}
    </div>
  );
}
