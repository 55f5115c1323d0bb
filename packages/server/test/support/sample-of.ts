import { bare } from '@edge-controller/shared-types';
import { z } from 'zod';
import { kindsOf } from '../../../shared-types/src/kinds.ts';

/** Returns a small value that the schema accepts, with the required members only. */
export function sampleOf(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodOptional) return undefined;
  const [kind] = kindsOf(schema) ?? [];
  if (kind) return sampleOf(kind);
  const plain = bare(schema);
  if (plain instanceof z.ZodObject) {
    const members = Object.entries(plain.shape as Record<string, z.ZodType>);
    return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member)]));
  }
  if (plain instanceof z.ZodString && plain.meta()?.format === 'date-time') return '2999-12-31T00:00:00Z';
  if (plain instanceof z.ZodString) return 'x'.repeat(plain.minLength ?? 1);
  if (plain instanceof z.ZodNumber) return Math.max(1, plain.minValue ?? 1);
  if (plain instanceof z.ZodBoolean) return false;
  if (plain instanceof z.ZodEnum) return plain.options[0];
  if (plain instanceof z.ZodArray) return [];
  return {};
}
