import { Link } from '@tanstack/react-router';
import { titleOf } from '../../api/titles.ts';
import { PageHeading } from '../../ui/page-heading.tsx';

interface ListHeaderProps {
  readonly resource: string;
  readonly about: string;
  readonly canCreate: boolean;
}

export function ListHeader({ resource, about, canCreate }: ListHeaderProps) {
  return (
    <header className="list-header">
      <div>
        <PageHeading title={titleOf(resource)} />
        <p className="soft">{about.replaceAll('`', '')}</p>
      </div>
      {canCreate && (
        <Link className="button primary" to="/entities/$resource/$id" params={{ resource, id: 'new' }}>
          Create
        </Link>
      )}
    </header>
  );
}
