import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
  CreateTerminatorResponseSchema,
  decode,
  FaultSchema,
  FaultSubject,
  PeerStateChangesSchema,
  SessionRemovedSchema,
  UnrouteSchema,
  UpdateControllersSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { readSyncState } from '../sessions/sync-state.ts';
import { answerRoute } from './answer-route.ts';
import { answerServerHello } from './answer-server-hello.ts';
import { answerValidation } from './answer-validation.ts';
import type { ControlParts } from './control-parts.ts';
import { applyChangeSet, applyDataState } from './data-model.ts';

type ControlHandler = (frame: Frame) => void;

/** The only strategy to synchronise API sessions that a router knows. */
const syncStrategy = 'instant';

/** What a router does with the messages of the controller. Of others it takes no notice. */
export function createControlHandlers(parts: ControlParts): Readonly<Record<number, ControlHandler>> {
  const { control, apiSessions, sessions, circuits, terminators, links } = parts;
  return {
    [controlTypes.ping](frame) {
      const isSuccess = new Map([[controlHeaders.isSuccess, headerValue.boolean(true)]]);
      control.reply(frame, { type: controlTypes.result, headers: isSuccess });
    },
    [controlTypes.serverHello]: (frame) => answerServerHello(parts, frame),
    [controlTypes.dataState]: (frame) => applyDataState(parts, frame),
    [controlTypes.dataChangeSet]: (frame) => applyChangeSet(parts, frame),
    [controlTypes.apiSessionAdded](frame) {
      const { isFullState, apiSessions: added } = decode(ApiSessionAddedSchema, frame.body);
      const state = syncStateOf(frame);
      if (!isFullState) apiSessions.put(added);
      else if (state) apiSessions.addPart(added, state);
      else apiSessions.replaceAll(added);
    },
    [controlTypes.apiSessionUpdated]: ({ body }) => apiSessions.put(decode(ApiSessionUpdatedSchema, body).apiSessions),
    [controlTypes.apiSessionRemoved]: ({ body }) => apiSessions.remove(decode(ApiSessionRemovedSchema, body).tokens),
    [controlTypes.sessionRemoved]({ body }) {
      const { tokens, ids } = decode(SessionRemovedSchema, body);
      // A real router knows no id when the lists have different lengths.
      if (tokens.length === ids.length) sessions.remove(ids);
    },
    [controlTypes.createTerminatorResponse]: ({ body }) =>
      terminators.created(decode(CreateTerminatorResponseSchema, body)),
    [controlTypes.validateTerminators]: (frame) => answerValidation(parts, frame),
    [controlTypes.route]: (frame) => answerRoute(parts, frame),
    [controlTypes.unroute]({ body }) {
      const { circuitId, now } = decode(UnrouteSchema, body);
      circuits.unroute(circuitId, now);
    },
    [controlTypes.peerStateChanges]({ body }) {
      for (const change of decode(PeerStateChangesSchema, body).changes) links.changed(change);
    },
    [controlTypes.updateControllers]({ body }) {
      control.known = decode(UpdateControllersSchema, body).controllers.map(({ id }) => id);
    },
    [controlTypes.fault]({ body }) {
      const { subject, id } = decode(FaultSchema, body);
      if (subject === FaultSubject.LINK) links.break(id);
    },
  };
}

/** @throws RouterCrash as a real router does. `null`: no part, but all that there is. */
function syncStateOf({ headers }: Frame) {
  const strategy = readHeader.text(headers.get(controlHeaders.syncStrategy));
  const state = readHeader.text(headers.get(controlHeaders.syncState));
  return strategy === syncStrategy && state !== undefined ? readSyncState(state) : null;
}
