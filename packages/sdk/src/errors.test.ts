import { expect, expectTypeOf, test } from 'vitest';
import { EdgeApiError, EdgeAuthQueryError, isEdgeApiError, isEdgeAuthQueryError, isWrongCode } from './index.ts';

const apiError = (code: string) =>
  new EdgeApiError({ code, message: 'm', status: 400, requestId: 'r', retryAfter: null, attemptsRemaining: null });

test('guards with a code leave the error usable when it has another one', () => {
  function explain(error: unknown): string {
    if (!isEdgeApiError(error)) return 'none of ours';
    if (isWrongCode(error)) {
      expectTypeOf(error.code).toEqualTypeOf<'MFA_INVALID_TOKEN'>();
      return `wrong ${error.attemptsRemaining}`;
    }
    if (isEdgeApiError(error, 'NOT_FOUND')) return 'gone';
    expectTypeOf(error.code).toEqualTypeOf<string>();
    return error.code;
  }
  expect([new Error('x'), ...['MFA_INVALID_TOKEN', 'NOT_FOUND', 'OTHER'].map(apiError)].map(explain)).toEqual([
    ...['none of ours', 'wrong null', 'gone', 'OTHER'],
  ]);

  function remedy(error: unknown): string {
    if (!isEdgeAuthQueryError(error)) return 'none of ours';
    if (isEdgeAuthQueryError(error, 'OUTSTANDING')) return 'answer';
    return error.code;
  }
  expect([new EdgeAuthQueryError('OUTSTANDING'), new EdgeAuthQueryError('NO_SESSION')].map(remedy)).toEqual([
    ...['answer', 'NO_SESSION'],
  ]);
});

test('the code of a guard is one of the catalogue as the wire says it, or any other string', () => {
  const error: unknown = apiError('CODE_OF_A_NEWER_CONTROLLER');
  expect(isEdgeApiError(error, 'CODE_OF_A_NEWER_CONTROLLER')).toBe(true);
  type Completed = Extract<Exclude<Parameters<typeof isEdgeApiError>[1], undefined>, 'NOT_FOUND' | 'NOT_ACCEPTABLE'>;
  expectTypeOf<Completed>().toEqualTypeOf<'NOT_FOUND'>();
  // @ts-expect-error these codes are the SDK's own
  expect(isEdgeAuthQueryError(error, 'NOT_FOUND')).toBe(false);
});
