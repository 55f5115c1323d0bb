import type { EdgeClient } from '../client/edge-client.ts';
import { useProvided } from './edge-provider.ts';

/**
 * Returns the client of the nearest `EdgeProvider`.
 *
 * @throws Error when there is no `EdgeProvider` above the component.
 * @example
 * function SignOut() {
 *   const edge = useEdge();
 *   return <button onClick={() => edge.signOut()}>Sign out</button>;
 * }
 */
export function useEdge(): EdgeClient {
  return useProvided().client;
}
