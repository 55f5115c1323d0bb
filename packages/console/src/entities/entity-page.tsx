import { isRow } from '@edge-controller/operation-tables';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { callOf } from '../api/calls.ts';
import { titleOf } from '../api/titles.ts';
import { ErrorNotice } from '../ui/notice.tsx';
import { panels } from './panels.ts';

export function EntityPage() {
  const { resource, id } = useParams({ from: '/entities/$resource/$id' });
  const { data, error } = useQuery({
    queryKey: ['entity', 'management', resource, id],
    queryFn: () => callOf('management', resource, 'get')(id),
  });
  return (
    <>
      <h1>{isRow(data) ? String(data.name ?? id) : titleOf(resource)}</h1>
      <ErrorNotice error={error} />
      {isRow(data) &&
        (panels[resource] ?? []).map(({ title, Panel }) => (
          <section key={title} className="card">
            <h2>{title}</h2>
            <Suspense fallback={<p className="soft">Loading …</p>}>
              <Panel entity={data} />
            </Suspense>
          </section>
        ))}
      <pre className="card">{JSON.stringify(data, undefined, 2)}</pre>
    </>
  );
}
