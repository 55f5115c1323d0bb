import { textOf, valueAt } from '@edge-controller/operation-tables';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Cell, Column, Row, Table, TableBody, TableHeader } from 'react-aria-components';
import { callOf } from '../api/calls.ts';
import { pageOf } from '../api/rows.ts';
import { useTable } from '../api/tables.ts';
import { titleOf } from '../api/titles.ts';
import { ErrorNotice } from '../ui/notice.tsx';

export function ListPage() {
  const { resource } = useParams({ from: '/entities/$resource' });
  const entry = useTable('management')[resource];
  const { data, error } = useQuery({
    queryKey: ['list', 'management', resource],
    queryFn: async () => pageOf(await callOf('management', resource, 'list')({ limit: 50 })),
  });
  const columns = entry?.verbs.list?.columns ?? ['id'];
  return (
    <>
      <h1>{titleOf(resource)}</h1>
      <ErrorNotice error={error} />
      <Table aria-label={titleOf(resource)}>
        <TableHeader>
          {columns.map((name, at) => (
            <Column key={name} id={name} isRowHeader={at === 0}>
              {titleOf(name)}
            </Column>
          ))}
        </TableHeader>
        <TableBody>
          {(data?.rows ?? []).map((row) => (
            <Row key={String(row.id)} id={String(row.id)}>
              {columns.map((name, at) => (
                <Cell key={name}>
                  {at === 0 ? (
                    <Link to="/entities/$resource/$id" params={{ resource, id: String(row.id) }}>
                      {textOf(valueAt(row, name))}
                    </Link>
                  ) : (
                    textOf(valueAt(row, name))
                  )}
                </Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </Table>
    </>
  );
}
