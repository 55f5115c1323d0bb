import type { InjectionKey, ShallowRef } from 'vue';
import { inject } from 'vue';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';

/** What the plugin gives to the components. */
export interface ProvidedEdge {
  readonly client: EdgeClient;
  readonly session: ShallowRef<SessionSnapshot>;
  /** Reads the session of the client. */
  readonly update: () => void;
  /** The components must first show what the server has rendered. */
  isHydrating: boolean;
}

export const edgeKey: InjectionKey<ProvidedEdge> = Symbol();

/** Throws without the plugin. */
export function useProvided(): ProvidedEdge {
  const provided = inject(edgeKey, null);
  if (provided === null) throw new Error('app.use(edgePlugin, { client }) is missing');
  return provided;
}
