import type { ApiName, Field, OperationEntry, OperationTable } from '@edge-controller/operation-tables';
import { loadBody, loadTable } from '@edge-controller/operation-tables';
import { useSuspenseQuery } from '@tanstack/react-query';

/** The operations of one API. The component waits for them. */
export function useTable(api: ApiName): OperationTable {
  return useSuspenseQuery({
    queryKey: ['table', api],
    queryFn: () => loadTable(api),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** The members of the body of an operation. The component waits for them. */
export function useBodyFields(entry: OperationEntry): readonly Field[] {
  return useSuspenseQuery({
    queryKey: ['body', entry.body ?? ''],
    queryFn: () => loadBody(entry),
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}
