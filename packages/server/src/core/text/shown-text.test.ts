import { expect, it } from 'vitest';
import { shownText } from './shown-text.ts';

it('escapes what controls a terminal or hides, and leaves all other characters', () => {
  expect(shownText('a\u001b[2J\u009b2J\r\u202e\u200b\u2028\ufeff\ud800\u{e0041}\n\té😀')).toBe(
    'a\\u001b[2J\\u009b2J\\u000d\\u202e\\u200b\\u2028\\ufeff\\ud800\\udb40\\udc41\n\té😀',
  );
});

it('leaves JSON the same', () => {
  const value = { name: 'a\u009b\u202e\u{e0041}"\\\n' };
  expect(JSON.parse(shownText(JSON.stringify(value, null, 2)))).toEqual(value);
});
