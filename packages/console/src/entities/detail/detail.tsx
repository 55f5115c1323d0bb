import { isRow } from '@edge-controller/operation-tables';
import { useQuery } from '@tanstack/react-query';
import { callOf } from '../../api/calls.ts';
import { useTable } from '../../api/tables.ts';
import { JsonTree } from '../../ui/json-tree.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { isEmptyValue } from './value.tsx';

interface EntityDetailProps {
  readonly resource: string;
  readonly id: string;
  readonly verb: string;
}

/** What the controller knows of an entity beside its fields. */
export function EntityDetail({ resource, id, verb }: EntityDetailProps) {
  const entry = useTable('management')[resource]?.verbs[verb];
  const { data, error, isPending } = useQuery({
    queryKey: ['detail', 'management', resource, verb, id],
    queryFn: () => callOf('management', resource, verb)(id),
  });
  if (isPending) return <p className="soft">Loading …</p>;
  const shown = isRow(data) ? Object.fromEntries(Object.entries(data).filter(([name]) => name !== '_links')) : data;
  return (
    <div className="stack">
      <p className="soft">{entry?.summary}</p>
      <ErrorNotice error={error} />
      {error === null && (
        <div className="card">
          {isEmptyValue(shown) ? <span className="soft">Nothing yet.</span> : <JsonTree value={shown} />}
        </div>
      )}
    </div>
  );
}
