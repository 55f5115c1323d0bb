import { useContext } from 'react';
import type { ProvidedEdge } from './edge-context.ts';
import { EdgeContext } from './edge-context.ts';

/** What the nearest `EdgeProvider` gives. Throws without one. */
export function useProvided(): ProvidedEdge {
  const provided = useContext(EdgeContext);
  if (provided === null) throw new Error('the hooks need <EdgeProvider client={edge}> above them');
  return provided;
}
