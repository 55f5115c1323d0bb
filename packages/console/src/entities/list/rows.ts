import type { Field, OperationEntry, ResourceEntry } from '@edge-controller/operation-tables';
import { loadBody } from '@edge-controller/operation-tables';
import { isEdgeApiError } from '@edge-controller/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callOf } from '../../api/calls.ts';
import { explainError } from '../../api/explain-error.ts';
import { pageOf } from '../../api/rows.ts';
import { quickSymbolOf, requestOf } from './request.ts';
import type { ListSearch } from './search.ts';

/** Whether the list takes filter, sort and pages. A few short lists do not. */
export function isPaged({ query = [] }: OperationEntry): boolean {
  return query.some(({ name }) => name === 'filter');
}

/** One row, for the symbols: they are known even when a filter is wrong. */
function useSample(resource: string, entry: OperationEntry) {
  return useQuery({
    queryKey: ['sample', 'management', resource],
    queryFn: async ({ signal }) => pageOf(await callOf('management', resource, 'list')({ limit: 1 }, { signal })),
    enabled: isPaged(entry),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The page of a list that the address names. While the next page loads, it has the rows of the last one. */
export function useList(resource: string, entry: OperationEntry, search: ListSearch) {
  const { data: sample, error: sampleError } = useSample(resource, entry);
  const quickSymbol = sample === undefined ? null : quickSymbolOf(sample.symbols, sample.rows[0]);
  const request = requestOf(search, quickSymbol);
  const query = useQuery({
    queryKey: ['list', 'management', resource, request],
    queryFn: async ({ signal }) => {
      const list = callOf('management', resource, 'list');
      return pageOf(await (isPaged(entry) ? list(request, { signal }) : list({ signal })));
    },
    // The quick search needs its symbol.
    enabled: search.q === undefined || sample !== undefined || !isPaged(entry),
    placeholderData: keepPreviousData,
  });
  return {
    query,
    error: query.error ?? sampleError,
    request,
    quickSymbol,
    symbols: sample?.symbols ?? query.data?.symbols ?? [],
  };
}

/** The members of the entity by name, as far as somebody can write them. */
export function useWritableFields({ verbs: { create, patch } }: ResourceEntry): ReadonlyMap<string, Field> {
  const entry = create ?? patch;
  const { data } = useQuery({
    queryKey: ['body', entry?.body ?? ''],
    queryFn: () => (entry === undefined ? [] : loadBody(entry)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => new Map((data ?? []).map((field) => [field.name, field])), [data]);
}

/** What is wrong with the filter, or `undefined` when the error is another one. */
export function filterProblem(error: unknown): string | undefined {
  if (!isEdgeApiError(error, 'INVALID_FILTER')) return undefined;
  const message = error.cause?.message ?? '';
  return message === '' ? explainError(error).text : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
