import { expect, inject, it } from 'vitest';
import { failOver } from './support/fail-over.ts';

it('accepts no ended API session after a fail-over of Redis to a replica that missed its end', async () => {
  const { outcomes, lives } = await failOver(inject('postgresUrl'), 3);
  expect(outcomes.map(({ end, ended, accepted }) => `${end}: ${accepted} of ${ended}`)).toEqual([
    'sign-out: 0 of 3',
    'removal by an administrator: 0 of 3',
    'reset of the password: 0 of 3',
    'deletion of the authenticator: 0 of 3',
    'disabling and enabling: 0 of 3',
  ]);
  expect(lives).toBe(true);
});
