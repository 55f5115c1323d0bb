import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { PageHeading } from '../ui/page-heading.tsx';

interface PageProblemProps {
  readonly error: unknown;
  readonly reset: () => void;
}

/** A page that failed. The rest of the console goes on. */
export function PageProblem({ error, reset }: PageProblemProps) {
  return (
    <div className="stack">
      <PageHeading title="This page failed" />
      <ErrorNotice error={error} />
      <div className="row">
        <Button onPress={reset}>Try again</Button>
      </div>
    </div>
  );
}
