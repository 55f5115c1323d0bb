import { Button } from '../../ui/button.tsx';
import type { ListSearch } from './search.ts';
import { inSentence } from './words.ts';

interface ListEmptyProps {
  readonly resource: string;
  readonly search: ListSearch;
  readonly isLoading: boolean;
  readonly onSearch: (next: ListSearch) => void;
}

/** What stands in a table without rows. */
export function ListEmpty({ resource, search, isLoading, onSearch }: ListEmptyProps) {
  if (isLoading) return <p className="list-empty soft">Loading …</p>;
  if (search.q === undefined && search.filter === undefined) {
    return <p className="list-empty soft">There are no {inSentence(resource)}.</p>;
  }
  return (
    <div className="list-empty">
      <p>No {inSentence(resource)} match.</p>
      <Button onPress={() => onSearch({ q: '', filter: '', page: 1 })}>Show all</Button>
    </div>
  );
}
