import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ListColumnsMenu } from './columns-menu.tsx';
import { ListFilterField } from './filter-field.tsx';
import type { ListSearch } from './search.ts';
import { columnTitle } from './words.ts';

interface ListToolbarProps {
  readonly search: ListSearch;
  readonly symbols: readonly string[];
  /** The symbol that the quick search compares. */
  readonly quickSymbol: string | null;
  readonly available: readonly string[];
  readonly columns: readonly string[];
  /** Whether the list takes filters. */
  readonly isPaged: boolean;
  readonly filterError: string | undefined;
  readonly isLoading: boolean;
  readonly onSearch: (next: Pick<ListSearch, 'q' | 'filter'>) => void;
  readonly onColumns: (columns: readonly string[] | null) => void;
  readonly onRefresh: () => void;
}

/** What decides which rows and columns a list shows. */
export function ListToolbar(props: ListToolbarProps) {
  const { search, symbols, quickSymbol, available, columns, isPaged, filterError, isLoading } = props;
  const { onSearch, onColumns, onRefresh } = props;
  const [isOpen, setIsOpen] = useState(search.filter !== undefined);
  const isShown = isOpen || search.filter !== undefined;
  return (
    <div className="list-toolbar">
      {isPaged && <QuickSearch symbol={quickSymbol} value={search.q ?? ''} onSearch={(q) => onSearch({ q })} />}
      <div className="row list-buttons">
        {isPaged && (
          <Button aria-expanded={isShown} isDisabled={search.filter !== undefined} onPress={() => setIsOpen(!isOpen)}>
            Filter
          </Button>
        )}
        <ListColumnsMenu available={available} shown={columns} onChange={onColumns} />
        <Button isDisabled={isLoading} onPress={onRefresh}>
          Refresh
        </Button>
      </div>
      {isPaged && isShown && (
        <ListFilterField
          value={search.filter ?? ''}
          symbols={symbols}
          error={filterError}
          onApply={(filter) => onSearch({ filter })}
        />
      )}
    </div>
  );
}

/** Milliseconds after the last key until the list is asked. */
const pause = 250;
const maxLength = 200;

interface QuickSearchProps {
  readonly symbol: string | null;
  readonly value: string;
  readonly onSearch: (q: string) => void;
}

function QuickSearch({ symbol, value, onSearch }: QuickSearchProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address has changed by itself, such as on the way back.
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  const search = (wanted: string) => {
    clearTimeout(timer.current);
    setKnown(wanted);
    onSearch(wanted);
  };
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(next), pause);
  };
  return (
    <SearchField
      label={symbol === null ? 'Search' : `Search by ${columnTitle(symbol).toLowerCase()}`}
      value={text}
      onChange={type}
      // Later it would take back where a link of a row leads.
      onBlur={() => text !== value && search(text)}
      maxLength={maxLength}
    />
  );
}
