import type { EdgeClient } from '../client/edge-client.ts';
import { useProvided } from './provided-edge.ts';

/**
 * Returns the client of the application.
 *
 * @throws Error without `edgePlugin`.
 * @example
 * const edge = useEdge();
 * const signOut = () => edge.signOut();
 */
export function useEdge(): EdgeClient {
  return useProvided().client;
}
