import type { EdgeClient } from '../client/edge-client.ts';
import { useProvided } from './use-provided.ts';

/**
 * Returns the client of the nearest `EdgeProvider`: always the same object, so a component that uses only `useEdge` does
 * not render again when the session changes.
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
