import { useEffect, useRef, useState } from 'react';
import { callOf } from '../../api/calls.ts';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import type { BulkAction } from './bulk-actions.ts';
import { ListBulkDialog } from './bulk-dialog.tsx';
import type { ListSelection } from './selection.ts';
import { maxSelected, nameOf } from './selection.ts';
import { countOf } from './words.ts';

interface ListBulkBarProps {
  readonly resource: string;
  readonly actions: readonly BulkAction[];
  readonly selection: ListSelection;
  readonly onSelect: (selection: ListSelection) => void;
  /** The filter of the list. */
  readonly filter: string | undefined;
  /** Rows that match it. */
  readonly total: number;
}

/** What can be done to the selected rows. */
export function ListBulkBar({ resource, actions, selection, onSelect, filter, total }: ListBulkBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const { found, error, start, stop } = useSelectionWalk({ resource, filter, selection, onSelect });
  if (selection.size === 0 && found === null) return null;
  const isInSight = ({ roles, verb }: BulkAction) => roles !== undefined || verb === 'delete';
  const others = actions.filter((one) => !isInSight(one));
  const most = Math.min(total, maxSelected);
  return (
    <section className="bulk-bar" aria-label="Selected rows">
      <ErrorNotice error={error} />
      {found === null ? (
        <div className="row">
          <strong role="status">{countOf(selection.size, resource)} selected</strong>
          {selection.size < most && (
            <Button kind="quiet" onPress={start}>
              {total > most
                ? `Select the first ${most.toLocaleString()}`
                : `Select all ${total.toLocaleString()} that match`}
            </Button>
          )}
          <Button kind="quiet" onPress={() => onSelect(new Map())}>
            Select none
          </Button>
          {actions.filter(isInSight).map((one) => (
            <Button key={one.id} {...(one.isDanger && { kind: 'danger' })} onPress={() => setAction(one)}>
              {one.title} …
            </Button>
          ))}
          {others.length > 0 && (
            <Menu
              label="More …"
              actions={others.map((one) => ({
                ...{ id: one.id, label: `${one.title} …`, isDanger: one.isDanger },
                run: () => setAction(one),
              }))}
            />
          )}
        </div>
      ) : (
        <>
          <ProgressBar label="Selecting" value={found} total={most} />
          <div className="row">
            <Button onPress={stop}>Stop</Button>
          </div>
        </>
      )}
      {action !== null && (
        <ListBulkDialog
          {...{ resource, action, selection }}
          onClose={(doneIds) => {
            setAction(null);
            onSelect(without(selection, action.verb === 'delete' ? doneIds : []));
          }}
        />
      )}
    </section>
  );
}

function without(selection: ListSelection, ids: readonly string[]): ListSelection {
  const gone = new Set(ids);
  return new Map([...selection].filter(([id]) => !gone.has(id)));
}

interface SelectionWalk extends Pick<ListBulkBarProps, 'resource' | 'filter' | 'selection' | 'onSelect'> {}

const pageSize = 500;

/** Selects all rows that match, page by page in the order of ids. After a stop, those that were found are selected. */
function useSelectionWalk({ resource, filter, selection, onSelect }: SelectionWalk) {
  const [found, setFound] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const walk = async (signal: AbortSignal) => {
    const selected = new Map(selection);
    const list = callOf('management', resource, 'list') as Parameters<typeof edge.pages<{ id: string }>>[0];
    const query = { sort: 'id', limit: pageSize, ...(filter !== undefined && { filter }) };
    try {
      for await (const row of edge.pages(list, query, { signal })) {
        selected.set(row.id, nameOf({ ...row }));
        if (selected.size >= maxSelected || signal.aborted) break;
        if (selected.size % pageSize === 0) setFound(selected.size);
      }
    } catch (problem) {
      if (!signal.aborted) setError(problem);
    }
    setFound(null);
    onSelect(selected);
  };
  return {
    found,
    error,
    start: () => {
      setError(null);
      setFound(selection.size);
      abort.current = new AbortController();
      void walk(abort.current.signal);
    },
    stop: () => abort.current?.abort(),
  };
}
