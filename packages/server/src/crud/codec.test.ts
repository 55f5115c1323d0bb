import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { codecOf } from './codec.ts';

describe('the column of a field', () => {
  it.each([
    ['a boolean', z.boolean(), 'integer', true, 1],
    [
      'a whole number of 32 bits',
      z
        .number()
        .int()
        .min(-(2 ** 31))
        .max(2 ** 31 - 1),
      'integer',
      -5,
      -5,
    ],
    ['a whole number without a maximum', z.number().int().min(0), 'bigint', 2 ** 53 - 1, 2 ** 53 - 1],
    ['a whole number without a minimum', z.number().int().max(9), 'bigint', -(2 ** 40), -(2 ** 40)],
    ['a number', z.number().max(9), 'double precision', 0.5, 0.5],
    ['one of some texts', z.enum(['a', 'b']).nullish(), 'text', 'b', 'b'],
    ['an array', z.array(z.string()), 'text', ['a'], '["a"]'],
  ] as const)('%s', (_name, schema, column, value, stored) => {
    const codec = codecOf(schema);
    expect([codec.column, codec.encode(value), codec.decode(stored)]).toEqual([column, stored, value]);
  });
});
