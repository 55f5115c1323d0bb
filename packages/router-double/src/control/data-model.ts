import {
  DataChangeSetSchema,
  DataStateSchema,
  decode,
  encode,
  SubscribeToDataModelRequestSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { ControlParts } from './control-parts.ts';

type DataModelParts = Pick<ControlParts, 'control' | 'dataModel' | 'keys' | 'timings'>;

/** Asks for the data model, of which a router needs the keys of session tokens. */
export function subscribe({ control, dataModel, timings }: DataModelParts, { renew }: { renew: boolean }): void {
  const body = encode(SubscribeToDataModelRequestSchema, {
    currentIndex: dataModel.index,
    subscriptionDurationSeconds: Math.round(timings.subscription / 1_000),
    renew,
    timelineId: dataModel.timelineId,
  });
  control.send({ type: controlTypes.subscribeToDataModel, body });
}

export function applyDataState({ dataModel, keys }: DataModelParts, { body }: Frame): void {
  if (!dataModel.isSubscribed) return;
  const { events, endIndex, timelineId } = decode(DataStateSchema, body);
  keys.replaceAll(events);
  dataModel.index = endIndex;
  dataModel.timelineId = timelineId;
}

/** A synthetic change counts whatever its index is, another one only when it is newer than what the router has. */
export function applyChangeSet({ dataModel, keys }: DataModelParts, { body }: Frame): void {
  if (!dataModel.isSubscribed) return;
  const { isSynthetic, index, changes } = decode(DataChangeSetSchema, body);
  if (!isSynthetic && index <= dataModel.index) return;
  keys.apply(changes);
  if (!isSynthetic) dataModel.index = index;
}
