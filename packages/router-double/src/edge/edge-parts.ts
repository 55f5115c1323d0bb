import type { Circuits } from '../circuits/circuits.ts';
import type { ControlChannel } from '../control/control-channel.ts';
import type { RouterTimings } from '../options.ts';
import type { ServiceSessions } from '../sessions/service-sessions.ts';
import type { SessionKeys } from '../sessions/session-keys.ts';
import type { Timers } from '../timers.ts';

/** What the messages of applications need of the rest of the router. */
export interface EdgeParts {
  readonly control: ControlChannel;
  readonly keys: SessionKeys;
  readonly sessions: ServiceSessions;
  readonly circuits: Circuits;
  /** Whether it does what routers of version 2 do. */
  readonly isVersion2: boolean;
  readonly timings: RouterTimings;
  readonly timers: Timers;
}
