import { expect, inject, it } from 'vitest';
import { failOver } from '../support/fail-over.ts';
import { serviceFailOver } from '../support/service-fail-over.ts';

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

it('brings back no session of a service and no posture after a fail-over to a replica that missed their ends', async () => {
  const outcomes = await serviceFailOver(inject('postgresUrl'));
  expect(outcomes.map(({ end, another, isOld, old }) => [end, another, isOld, ...old])).toEqual([
    ['its owner', 201, false, 404, 404],
    ['an administrator', 201, false, 404, 404],
    ['role attributes', 201, false, 404, 404],
    ['the policy', 201, false, 404, 404],
    ['the posture check', 201, false, 404, 404],
    ['the posture', 409, false, 404, 404],
    ['none', 201, true, 200, 200],
  ]);
});
