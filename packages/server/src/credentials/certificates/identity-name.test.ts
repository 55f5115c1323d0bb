import { expect, it } from 'vitest';
import { identityName } from './identity-name.ts';

const values = { caName: 'Plant', caId: 'ca1', commonName: 'pump 7', requestedName: 'Pump', identityId: 'id.1' };

it.each([
  ['[caName]-[commonName]', {}, 'Plant-pump 7'],
  ['[caId]/[identityId]/[requestedName]', {}, 'ca1/id.1/Pump'],
  ['[commonName] [commonName]', {}, 'pump 7 pump 7'],
  ['no placeholder', {}, 'no placeholder'],
  ['[caname] [other] [ caName ]', {}, '[caname] [other] [ caName ]'],
  ['[[caName]]', {}, '[Plant]'],
  ['[requestedName]', { requestedName: null }, 'id.1'],
  ['[requestedName]', { requestedName: '' }, 'id.1'],
  ['[caName]-[commonName]', { commonName: null }, 'Plant-'],
  ['[commonName]', { commonName: null }, 'id.1'],
  ['[commonName]', { commonName: ' ' }, 'id.1'],
  ['', {}, 'id.1'],
  ['[commonName]', { commonName: '[identityId]' }, '[identityId]'],
  ['[commonName]', { commonName: '$& $1 $` $$' }, '$& $1 $` $$'],
  ['[caName]-[commonName]', { caName: '[commonName]' }, '[commonName]-pump 7'],
  ['[commonName]', { commonName: 'a\0b\nc\u009bd' }, 'abcd'],
  ['[commonName]', { commonName: 'Grüße 北京 😀' }, 'Grüße 北京 😀'],
])('%s with %o is %s', (format, changes, expected) => {
  expect(identityName(format, { ...values, ...changes })).toBe(expected);
});

it('leaves space for a counter, and cuts no character in two', () => {
  expect(identityName('[commonName]', { ...values, commonName: 'x'.repeat(20_000) })).toBe('x'.repeat(450));
  const cut = identityName('[commonName]', { ...values, commonName: `x${'😀'.repeat(300)}` });
  expect([cut.length <= 450, cut.isWellFormed()]).toEqual([true, true]);
});
