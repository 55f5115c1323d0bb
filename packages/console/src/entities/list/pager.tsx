import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { defaultPageSize, pageSizes } from './search.ts';

interface ListPagerProps {
  readonly page: number;
  readonly limit: number | undefined;
  /** Rows on this page. */
  readonly count: number;
  /** Rows of the whole list. */
  readonly total: number;
  readonly onPage: (page: number) => void;
  readonly onLimit: (limit: number) => void;
}

const options = pageSizes.map((size) => ({ id: String(size), label: String(size) }));

/** Says which rows are shown, and leads to the others. */
export function ListPager({ page, limit = defaultPageSize, count, total, onPage, onLimit }: ListPagerProps) {
  const first = (page - 1) * limit + 1;
  const last = first + count - 1;
  const pages = Math.max(1, Math.ceil(total / limit));
  return (
    <nav className="list-pager" aria-label="Paging">
      <p role="status">
        {count === 0 ? '0' : `${first.toLocaleString()}–${last.toLocaleString()}`} of {total.toLocaleString()}
      </p>
      <Select label="Rows" options={options} value={String(limit)} onChange={(id) => onLimit(Number(id))} />
      <div className="row">
        <Button isDisabled={page <= 1} onPress={() => onPage(1)}>
          First
        </Button>
        <Button isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button isDisabled={page >= pages} onPress={() => onPage(page + 1)}>
          Next
        </Button>
        <Button isDisabled={page >= pages} onPress={() => onPage(pages)}>
          Last
        </Button>
      </div>
    </nav>
  );
}
