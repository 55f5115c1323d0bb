import type { ResourceEntry, Row } from '@edge-controller/operation-tables';
import { resourceOf } from '@edge-controller/operation-tables';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { allowedOf, useRights } from '../../api/rights.ts';
import type { RowPage } from '../../api/rows.ts';
import { useTable } from '../../api/tables.ts';
import { titleOf } from '../../api/titles.ts';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { Refusal } from '../../ui/refusal.tsx';
import './list.css';
import { PageHeading } from '../../ui/page-heading.tsx';
import { bulkActionsOf, rolesActionsOf } from './bulk-actions.ts';
import { ListBulkBar } from './bulk-bar.tsx';
import { useColumnChoice } from './column-choice.ts';
import { columnsOf, keyOf } from './columns.ts';
import { ListEmpty } from './empty.tsx';
import { ListHeader } from './header.tsx';
import { ListPager } from './pager.tsx';
import { filterProblem, isPaged, useList, useWritableFields } from './rows.ts';
import type { ListSearch } from './search.ts';
import { defaultPageSize } from './search.ts';
import type { ListSelection } from './selection.ts';
import { withRows } from './selection.ts';
import { ListTable } from './table.tsx';
import { ListToolbar } from './toolbar.tsx';
import { inSentence } from './words.ts';

/** The list of a resource of the Management API. Its address says which rows. */
export function ListPage() {
  const { resource } = useParams({ from: '/entities/$resource' });
  const entry = resourceOf(useTable('management'), resource);
  const rights = useRights();
  if (entry?.verbs.list === undefined) return <NotFoundPage />;
  if (!rights.allows(entry.verbs.list)) {
    return (
      <>
        <PageHeading title={titleOf(resource)} />
        <Refusal act={`see ${inSentence(resource)}`} />
      </>
    );
  }
  return <EntityList key={resource} resource={resource} entry={entry} list={entry.verbs.list} />;
}

interface EntityListProps {
  readonly resource: string;
  readonly entry: ResourceEntry;
  readonly list: NonNullable<ResourceEntry['verbs']['list']>;
}

const noPage: RowPage = { rows: [], total: 0, symbols: [] };

function EntityList({ resource, entry, list }: EntityListProps) {
  const [selection, setSelection] = useState<ListSelection>(new Map());
  const select = useSelect(setSelection);
  const [choice, setChoice] = useColumnChoice(resource);
  const { search, sort, change, query, error, request, quickSymbol, symbols } = useListOfAddress({
    resource,
    entry,
    list,
  });
  const fields = useWritableFields(entry);
  const page = query.data ?? noPage;
  const { available, atFirst } = columnsOf(list, page);
  const columns = choice?.filter((name) => available.includes(name) || page.rows.length === 0) ?? atFirst;
  // Rows that are no longer shown must not be deleted with the others.
  useEffect(() => setSelection(new Map()), [request.filter]);
  const allowed = allowedOf(entry, useRights());
  const actions = actionsOf(entry, allowed, fields);
  const canSelect = actions.length > 0;
  const selected = canSelect ? new Set(page.rows.map(keyOf).filter((key) => selection.has(key))) : null;
  const fault = filterProblem(error);
  return (
    <>
      <ListHeader resource={resource} about={entry.about} canCreate={allowed.verbs.create !== undefined} />
      <ListToolbar
        {...{ search, symbols, quickSymbol, available, columns }}
        isPaged={isPaged(list)}
        filterError={fault}
        isLoading={query.isFetching}
        onSearch={(next) => change({ ...next, page: 1 }, next.q === undefined)}
        onColumns={setChoice}
        onRefresh={() => void query.refetch()}
      />
      {fault === undefined && <ErrorNotice error={error} />}
      {error === null && (
        <>
          <ListTable
            label={titleOf(resource)}
            {...{ resource, page, columns: columns.length > 0 ? columns : atFirst, fields, selected }}
            sort={sort}
            onSort={(sort) => change({ sort, page: 1 })}
            hasPages={allowed.verbs.get?.params?.length === 1}
            onSelect={select}
            isStale={query.isPlaceholderData}
            empty={<ListEmpty resource={resource} search={search} isLoading={query.isPending} onSearch={change} />}
          />
          {isPaged(list) && query.isSuccess && <AddressPager {...{ search, page }} onChange={change} />}
        </>
      )}
      {canSelect && (
        <ListBulkBar
          {...{ resource, actions, selection, filter: request.filter, total: page.total }}
          onSelect={setSelection}
        />
      )}
    </>
  );
}

interface AddressPagerProps {
  readonly search: ListSearch;
  readonly page: RowPage;
  readonly onChange: (next: ListSearch) => void;
}

function AddressPager({ search, page: { rows, total }, onChange }: AddressPagerProps) {
  return (
    <ListPager
      page={search.page ?? 1}
      limit={search.limit}
      count={rows.length}
      total={total}
      onPage={(page) => onChange({ page })}
      onLimit={(limit) => onChange({ limit, page: 1 })}
    />
  );
}

/** The rows that the address asks for, and how to change the address. Behind the last page it goes there. */
function useListOfAddress({ resource, entry, list }: EntityListProps) {
  const search = useSearch({ from: '/entities/$resource' });
  const navigate = useNavigate({ from: '/entities/$resource' });
  const sort = search.sort ?? usualSort(entry);
  const found = useList(resource, list, { ...search, ...(sort !== undefined && { sort }) });
  const { query } = found;
  const change = (next: ListSearch, isNewEntry = true) =>
    void navigate({ search: (last) => withoutEmpty({ ...last, ...next }), replace: !isNewEntry });
  const lastPage = Math.max(1, Math.ceil((query.data ?? noPage).total / (search.limit ?? defaultPageSize)));
  const isBehindEnd = !query.isPlaceholderData && query.isSuccess && (search.page ?? 1) > lastPage;
  useEffect(() => {
    if (isBehindEnd) void navigate({ search: (last) => ({ ...last, page: lastPage }), replace: true });
  }, [isBehindEnd, lastPage, navigate]);
  return { ...found, search, sort, change };
}

/** It stays the same, so that rows that do not change are not rendered again. */
function useSelect(setSelection: (change: (last: ListSelection) => ListSelection) => void) {
  return useCallback(
    (rows: readonly Row[], isSelected: boolean) => setSelection((last) => withRows(last, rows, isSelected)),
    [setSelection],
  );
}

/** What the person may do with many rows. */
function actionsOf(entry: ResourceEntry, allowed: ResourceEntry, fields: ReturnType<typeof useWritableFields>) {
  const all = [...rolesActionsOf(entry, fields.get('roleAttributes')), ...bulkActionsOf(entry)];
  return all.filter(({ verb }) => allowed.verbs[verb] !== undefined);
}

function usualSort({ hasNames, verbs: { list } }: ResourceEntry): string | undefined {
  return hasNames && list !== undefined && isPaged(list) ? 'name asc' : undefined;
}

/** The address says nothing of what is as usual. */
function withoutEmpty({ q, filter, sort, page, limit }: ListSearch): ListSearch {
  return {
    ...(q && { q }),
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(page !== undefined && page > 1 && { page }),
    ...(limit !== undefined && limit !== defaultPageSize && { limit }),
  };
}
