import type { OperationEntry, ResourceEntry } from '@edge-controller/operation-tables';
import type { IdentityDetail } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { edge } from '../session/edge.ts';

/** What somebody may do. */
export interface Rights {
  /** Whether it is more than to look after the own account. */
  readonly isManager: boolean;
  readonly allows: (entry: OperationEntry) => boolean;
}

/** The identity of the person. */
export function useOwnIdentity() {
  return useQuery({
    queryKey: ['entity', 'client', 'currentIdentity'],
    queryFn: ({ signal }) => edge.client.currentIdentity.get({ signal }),
  });
}

/** What the person may do. Everything while nobody knows: the controller refuses by itself. */
export function useRights(): Rights {
  const { data } = useOwnIdentity();
  return rightsOf(data ?? { isAdmin: true, permissions: [] });
}

function rightsOf({ isAdmin, permissions }: Pick<IdentityDetail, 'isAdmin' | 'permissions'>): Rights {
  const granted = new Set<string>(permissions ?? []);
  return {
    isManager: isAdmin || granted.size > 0,
    allows({ access, permission }) {
      if (isAdmin || access !== 'admin') return true;
      const [entity = '', action] = permission?.split('.') ?? [];
      return (
        granted.has(entity) || granted.has(permission ?? '') || (action === 'read' && granted.has('admin_readonly'))
      );
    },
  };
}

/** The resource with the operations that the person may call. */
export function allowedOf(entry: ResourceEntry, { allows }: Rights): ResourceEntry {
  return { ...entry, verbs: Object.fromEntries(Object.entries(entry.verbs).filter(([, verb]) => allows(verb))) };
}
