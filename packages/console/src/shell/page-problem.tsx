import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/notice.tsx';

interface PageProblemProps {
  readonly error: unknown;
  readonly reset: () => void;
}

/** A page that failed. The rest of the console goes on. */
export function PageProblem({ error, reset }: PageProblemProps) {
  return (
    <div className="stack">
      <h1>This page failed</h1>
      <ErrorNotice error={error} />
      <div className="row">
        <Button onPress={reset}>Try again</Button>
      </div>
    </div>
  );
}
