import type { Circuits } from '../circuits/circuits.ts';
import type { EdgeListener } from '../edge/edge-listener.ts';
import type { EdgeParts } from '../edge/edge-parts.ts';
import type { Terminators } from '../edge/terminators.ts';
import type { Links } from '../links/links.ts';
import type { ApiSessions } from '../sessions/api-sessions.ts';

/** What the messages of the controller need of the rest of the router. */
export interface ControlParts extends EdgeParts {
  readonly versionInfo: string;
  readonly host: string;
  readonly apiSessions: ApiSessions;
  readonly dataModel: DataModel;
  readonly circuits: Circuits;
  readonly terminators: Terminators;
  readonly links: Links;
  readonly edge: EdgeListener;
}

/** What a router stores of the data model of the controller. */
export interface DataModel {
  index: bigint;
  timelineId: string;
  /** Only then the keys of the controller count. */
  isSubscribed: boolean;
}
