import type { EdgeClient } from '../client/edge-client.ts';
import { useProvided } from './provide-edge.ts';

/**
 * Returns the client that a component above has provided. Call it while the component starts.
 *
 * @throws Error without `provideEdge`.
 * @example
 * const edge = useEdge();
 * const signOut = () => edge.signOut();
 */
export function useEdge(): EdgeClient {
  return useProvided().client;
}
