import type { ApiTree } from '@edge-controller/shared-types';
import type { HandlersWith } from '../../core/call.ts';
import type * as crud from '../../crud/dependencies.ts';
import type { NetworkView } from '../../network/router-connections/network-view.ts';

/** What reads of the network need. */
export interface Dependencies extends crud.Dependencies {
  readonly network: NetworkView;
}

export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, unknown>;
