import { Link } from '@tanstack/react-router';
import { PageHeading } from '../ui/page-heading.tsx';

export function NotFoundPage() {
  return (
    <div className="stack">
      <PageHeading title="There is no such page" />
      <p>
        <Link to="/">Go to the dashboard</Link>
      </p>
    </div>
  );
}
