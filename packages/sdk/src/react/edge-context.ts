import { createContext } from 'react';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';

export interface ProvidedEdge {
  readonly client: EdgeClient;
  /** What the server has rendered. */
  readonly initial: SessionSnapshot;
}

export const EdgeContext = createContext<ProvidedEdge | null>(null);
