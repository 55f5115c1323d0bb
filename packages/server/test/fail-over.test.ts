import { expect, inject, it } from 'vitest';
import { failOver } from './support/fail-over.ts';
import { serviceFailOver } from './support/service-fail-over.ts';

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
  expect(outcomes.map(({ end, old, another }) => `${end}: ${old.join(' ')}, another ${another}`)).toEqual([
    'its owner: 404 404 404 404, another 201',
    'an administrator: 404 404 404 404, another 201',
    'role attributes: 404 404 404 404, another 201',
    'the policy: 404 404 404 404, another 201',
    'the posture check: 404 404 404 404, another 201',
    'the posture: 404 404 404 404, another 409',
    'none: 200 200 200 200, another 201',
  ]);
});
