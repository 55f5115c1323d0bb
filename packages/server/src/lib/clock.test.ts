import { expect, it } from 'vitest';
import { isoTime } from './clock.ts';

it('formats times like Date, also before 1970', () => {
  const times = [0, 1, 999, 1_000, -1, -1_000, -86_399_999, 1_700_000_000_123, 253_402_300_799_999];
  for (let at = 0; at < 2_500; at += 1) times.push(1_700_000_000_000 + at * 777);
  for (const time of times) expect(isoTime(time)).toBe(new Date(time).toISOString());
});
