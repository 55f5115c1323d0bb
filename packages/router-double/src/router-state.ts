import type { ControlParts } from './control/control-parts.ts';

/** What a router stores at the moment. */
export interface RouterState {
  /** That it knows. */
  readonly apiSessions: number;
  /** Ids of the keys of session tokens. */
  readonly keys: readonly string[];
  /** SHA-1 of the CAs whose certificates applications may have. Of version 2 alone. */
  readonly anchors: readonly string[];
  /** Applications that are connected. */
  readonly applications: number;
  /** What these have dialed, accepted, and host. */
  readonly connections: number;
  /** Addresses, which are the ids. */
  readonly terminators: readonly string[];
  /** Ids. */
  readonly circuits: readonly string[];
  readonly links: readonly { readonly id: string; readonly routerId: string; readonly iteration: number }[];
}

export function stateOf({ apiSessions, keys, edge, terminators, circuits, links }: ControlParts): RouterState {
  return {
    apiSessions: apiSessions.size,
    keys: keys.ids,
    anchors: keys.anchorIds,
    applications: edge.channels.length,
    connections: edge.channels.reduce((sum, { connections }) => sum + connections, 0),
    terminators: terminators.addresses,
    circuits: circuits.ids,
    links: links.all.map(({ id, peerId, iteration }) => ({ id, routerId: peerId, iteration })),
  };
}
