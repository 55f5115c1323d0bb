import { Link } from '@tanstack/react-router';

export function NotFoundPage() {
  return (
    <div className="stack">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">Go to the dashboard</Link>
      </p>
    </div>
  );
}
