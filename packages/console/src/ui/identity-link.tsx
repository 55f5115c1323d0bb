import { Link } from '@tanstack/react-router';

interface IdentityLinkProps {
  readonly id: string;
  /** Default: the id. */
  readonly name?: string | undefined;
}

export function IdentityLink({ id, name = id }: IdentityLinkProps) {
  return (
    <Link to="/entities/$resource/$id" params={{ resource: 'identities', id }}>
      {name}
    </Link>
  );
}
