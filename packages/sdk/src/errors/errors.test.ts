import { expect, expectTypeOf, test } from 'vitest';
import type { EdgeErrorCode } from '../index.ts';
import { EdgeApiError, EdgeAuthQueryError, isEdgeApiError, isEdgeAuthQueryError, isWrongCode } from '../index.ts';

const apiError = (code: string) =>
  new EdgeApiError({
    code,
    message: 'm',
    status: 400,
    requestId: 'r',
    retryAfter: null,
    attemptsRemaining: null,
    challenge: null,
  });

test('a type guard with a code does not narrow the type of an error with another code', () => {
  function explain(error: unknown): string {
    if (!isEdgeApiError(error)) return 'unknown';
    if (isWrongCode(error)) {
      expectTypeOf(error.code).toExtend<'MFA_INVALID_TOKEN'>();
      return `wrong ${error.attemptsRemaining}`;
    }
    if (isEdgeApiError(error, 'NOT_FOUND')) return 'gone';
    expectTypeOf<EdgeErrorCode>().toExtend<typeof error.code>();
    return error.code;
  }
  expect([new Error('x'), ...['MFA_INVALID_TOKEN', 'NOT_FOUND', 'OTHER'].map(apiError)].map(explain)).toEqual([
    ...['unknown', 'wrong null', 'gone', 'OTHER'],
  ]);

  function remedy(error: unknown): string {
    if (!isEdgeAuthQueryError(error)) return 'unknown';
    if (isEdgeAuthQueryError(error, 'OUTSTANDING')) return 'answer';
    return error.code;
  }
  expect([new EdgeAuthQueryError('OUTSTANDING'), new EdgeAuthQueryError('NO_SESSION')].map(remedy)).toEqual([
    ...['answer', 'NO_SESSION'],
  ]);
});

test('a type guard accepts the codes of the catalogue, and an error may have the code of a newer controller', () => {
  const error: unknown = apiError('CODE_OF_A_NEWER_CONTROLLER');
  expect(isEdgeApiError(error) && error.code === 'CODE_OF_A_NEWER_CONTROLLER').toBe(true);
  // @ts-expect-error misspelled
  expect(isEdgeApiError(error, 'NOT_FOUD')).toBe(false);
  // @ts-expect-error a name of the catalogue that is no code
  expect(isEdgeApiError(error, 'NOT_ACCEPTABLE')).toBe(false);
  // @ts-expect-error this error type has its own codes
  expect(isEdgeAuthQueryError(error, 'NOT_FOUND')).toBe(false);
});
