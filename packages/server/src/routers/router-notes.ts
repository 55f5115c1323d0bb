import type { ApiSessionChange } from '../session-store/session-store.ts';
import type { RouteNote } from './circuits/route-sender.ts';
import type { CircuitNote } from './services.ts';

/** What controllers tell each other under `routerTopic`. */
export type RouterNote =
  | RouteNote
  | CircuitNote
  | { readonly kind: 'shown'; readonly by: string }
  | { readonly kind: 'linkRemoved'; readonly id: string; readonly iteration: number }
  | { readonly kind: 'changed'; readonly routerId: string }
  | { readonly kind: 'deleted'; readonly routerId: string };

/** What they tell each other under `sessionTopic`. */
export type SessionNote = ApiSessionChange | { readonly kind: 'sessionsEnded'; readonly ids: readonly string[] };
