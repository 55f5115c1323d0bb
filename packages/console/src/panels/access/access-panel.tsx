import type { Row } from '@edge-controller/operation-tables';
import { filter } from '@edge-controller/sdk';
import { Link } from '@tanstack/react-router';

/** Leads from a service to who may dial it. */
export function ServiceAccess({ entity: { id, name } }: { readonly entity: Row }) {
  return (
    <p>
      <Link to="/access" search={{ service: String(id) }}>
        See whether an identity may dial {String(name)}, and why
      </Link>
    </p>
  );
}

/** Leads from an identity to what it may dial, its sessions, and what it has done. */
export function IdentityAccess({ entity: { id, name } }: { readonly entity: Row }) {
  return (
    <div className="stack">
      <Link to="/access" search={{ identity: String(id) }}>
        See whether {String(name)} may dial a service, and why
      </Link>
      <Link to="/api-sessions" search={{ identity: String(name) }}>
        API sessions of {String(name)}
      </Link>
      <Link to="/audit-log" search={{ filter: filter`(identityId = ${String(id)} or entityId = ${String(id)})` }}>
        What {String(name)} has done, and what concerns it
      </Link>
    </div>
  );
}
