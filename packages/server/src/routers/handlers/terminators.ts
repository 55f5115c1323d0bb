import type {
  CreateTerminatorRequest,
  RemoveTerminatorsRequest,
  UpdateTerminatorRequest,
} from '@edge-controller/router-messages';
import { CreateTerminatorResponseSchema, CreateTerminatorResult, encode } from '@edge-controller/router-messages';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import { problems, retryHints } from '../authorize.ts';
import type { MessageHandler } from '../dependencies.ts';
import type { TerminatorAnswer } from '../terminators/terminators.ts';
import { success } from './connection.ts';
import { refusal } from './refusal.ts';

const maxRemoved = 1_000;

export const createTerminator: MessageHandler<CreateTerminatorRequest> = async (
  { router, frame, terminators, log },
  request,
) => {
  const answer = await terminators.create(router, request).catch((error: unknown) => {
    log.warn({ err: error, router: router.id }, 'a terminator cannot be created');
    // The router tries again later.
    return { result: CreateTerminatorResult.BUSY, msg: 'try again' };
  });
  const { result, msg } = answer;
  const ofVersion2 = router.hello.group ? hintsOf(answer) : {};
  const body = encode(CreateTerminatorResponseSchema, { terminatorId: request.address, result, msg, ...ofVersion2 });
  router.reply(frame, { type: controlTypes.createTerminatorResponse, body });
};

/** Without a hint, a router of version 2 tries again after minutes, and its application does not learn of the refusal meanwhile. */
function hintsOf({ result, problem = problems.internal }: TerminatorAnswer) {
  const { OTHER, INVALID_SESSION } = CreateTerminatorResult;
  if (result !== OTHER && result !== INVALID_SESSION) return {};
  return { result: OTHER, errorCode: problem.code, retryHint: problem.retryHint || retryHints.never };
}

export const updateTerminator: MessageHandler<UpdateTerminatorRequest> = async (
  { router, frame, terminators },
  request,
) => {
  const { sessionToken, apiSessionToken, terminatorId: id, updateCost, updatePrecedence } = request;
  const problem = await terminators.update(router, {
    ...{ id, sessionToken, apiSessionToken },
    ...(updateCost && { cost: request.cost }),
    ...(updatePrecedence && { precedence: request.precedence }),
  });
  if (problem === null) router.reply(frame, { type: controlTypes.updateTerminatorResponse });
  else router.reply(frame, refusal(router, problem));
};

export const removeTerminators: MessageHandler<RemoveTerminatorsRequest> = async (
  { router, frame, terminators, log },
  { terminatorIds },
) => {
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
