import { expect, it } from 'vitest';
import { isoTime, parseTime } from './clock.ts';

it('formats times like Date, also before 1970', () => {
  const times = [0, 1, 999, 1_000, -1, -1_000, -86_399_999, 1_700_000_000_123, 253_402_300_799_999];
  for (let at = 0; at < 2_500; at += 1) times.push(1_700_000_000_000 + at * 777);
  for (const time of times) expect(isoTime(time)).toBe(new Date(time).toISOString());
});

it('parses dates with a time, and nothing else', () => {
  const time = Date.UTC(2030, 0, 2, 3, 4, 5, 678);
  expect(parseTime(isoTime(time))).toBe(time);
  expect(parseTime('2030-01-02T05:04:05.678+02:00')).toBe(time);
  expect(parseTime('2030-01-02T03:04:05.678')).toBe(time);
  expect(parseTime('2030-01-02T03:04:05Z')).toBe(time - 678);
  const others = [
    '',
    '2030',
    '2030-01-02',
    'Jan 2 2030',
    '2030-02-30T00:00:00Z',
    '2030-01-01T25:00:00Z',
    '1893553445678',
  ];
  for (const other of others) expect(parseTime(other), other).toBeNull();
});
