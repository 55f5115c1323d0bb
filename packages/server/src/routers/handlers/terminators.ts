import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import { decode, encode } from '../../router-messages/codec.ts';
import {
  CreateTerminatorRequestSchema,
  CreateTerminatorResponseSchema,
  CreateTerminatorResult,
  RemoveTerminatorsRequestSchema,
  UpdateTerminatorRequestSchema,
} from '../../router-messages/generated/router_pb.js';
import type { RouterHandler } from '../services.ts';
import { success } from './connection.ts';

const maxRemoved = 1_000;

export const createTerminator: RouterHandler = async ({ router, frame, terminators, log }) => {
  const request = decode(CreateTerminatorRequestSchema, frame.body);
  const answer = await terminators.create(router, request).catch((error: unknown) => {
    log.warn({ err: error, router: router.id }, 'a terminator cannot be created');
    // The router tries again later.
    return { result: CreateTerminatorResult.BUSY, msg: 'try again' };
  });
  const body = encode(CreateTerminatorResponseSchema, { terminatorId: request.address, ...answer });
  router.reply(frame, { type: controlTypes.createTerminatorResponse, body });
};

export const updateTerminator: RouterHandler = async ({ router, frame, terminators }) => {
  const request = decode(UpdateTerminatorRequestSchema, frame.body);
  const { sessionToken, apiSessionToken, terminatorId: id, updateCost, updatePrecedence } = request;
  const problem = await terminators.update(router, {
    ...{ id, sessionToken, apiSessionToken },
    ...(updateCost && { cost: request.cost }),
    ...(updatePrecedence && { precedence: request.precedence }),
  });
  if (problem === null) router.reply(frame, { type: controlTypes.updateTerminatorResponse });
  else {
    router.reply(frame, {
      type: controlTypes.error,
      headers: new Map([[controlHeaders.errorCode, headerValue.u32(problem.code)]]),
      body: headerValue.text(problem.text),
    });
  }
};

export const removeTerminators: RouterHandler = async ({ router, frame, terminators, log }) => {
  const { terminatorIds } = decode(RemoveTerminatorsRequestSchema, frame.body);
  try {
    await terminators.remove(router.id, terminatorIds.slice(0, maxRemoved));
    router.reply(frame, success);
  } catch (error) {
    log.warn({ err: error, router: router.id }, 'terminators cannot be removed');
    const headers = new Map([
      [controlHeaders.isSuccess, headerValue.boolean(false)],
      [controlHeaders.failure, headerValue.u32(1)],
    ]);
    router.reply(frame, { type: controlTypes.result, headers, body: headerValue.text('try again') });
  }
};
