import { expect, it } from 'vitest';
import { isoTime } from './clock.ts';

it('writes moments as Date does, also before 1970 and beyond a second', () => {
  const moments = [0, 1, 999, 1_000, -1, -1_000, -86_399_999, 1_700_000_000_123, 253_402_300_799_999];
  for (let at = 0; at < 2_500; at += 1) moments.push(1_700_000_000_000 + at * 777);
  for (const moment of moments) expect(isoTime(moment)).toBe(new Date(moment).toISOString());
});
