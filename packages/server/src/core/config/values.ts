import { isIP } from 'node:net';
import { z } from 'zod';
import { formatDuration, parseDuration } from '../time/duration.ts';

/**
 * How the value of a setting is parsed. Flags and the environment have text; a YAML file has text, numbers and lists. A
 * schema accepts the value from all of them.
 */
export interface SettingValue<T> {
  readonly schema: z.ZodType<T>;
  /** The accepted values, as text after "expected". */
  readonly expected: string;
}

export function text(pattern: RegExp, expected: string): SettingValue<string> {
  return { schema: z.string().regex(pattern), expected };
}

export function integer(min: number, max: number): SettingValue<number> {
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return {
    schema: z.union([z.number(), digits]).pipe(z.int().min(min).max(max)),
    expected: `an integer from ${min} to ${max}`,
  };
}

export function number(min: number, max: number): SettingValue<number> {
  const decimals = z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number);
  return {
    schema: z.union([z.number(), decimals]).pipe(z.number().min(min).max(max)),
    expected: `a number from ${min} to ${max}`,
  };
}

export function oneOf<const Names extends readonly string[]>(names: Names): SettingValue<Names[number]> {
  return { schema: z.enum(names), expected: names.join(', ') };
}

/** `true` or `false`. */
export const boolean: SettingValue<boolean> = {
  schema: z.union([z.boolean(), z.enum(['true', 'false']).transform((written) => written === 'true')]),
  expected: 'true or false',
};

/** Parses a duration to milliseconds. `min` and `max` are in milliseconds; `example` is a duration such as `30m`. */
export function duration(min: number, max: number, example: string): SettingValue<number> {
  const milliseconds = z.string().transform((written) => parseDuration(written) ?? Number.NaN);
  return {
    schema: milliseconds.pipe(z.number().min(min).max(max)),
    expected: `a duration from ${formatDuration(min)} to ${formatDuration(max)} such as ${example}`,
  };
}

export function list(entry: z.ZodType<string, string>, expected: string): SettingValue<readonly string[]> {
  const written = z.string().transform((joined) => joined.split(',').map((part) => part.trim()));
  const given = z.union([written, z.array(z.string())]).transform((parts) => parts.filter((part) => part !== ''));
  return { schema: given.pipe(z.array(entry)), expected };
}

/** One or more header names. The result is in lower case, without duplicates. */
export function headerNames(): SettingValue<readonly string[]> {
  const taken = ['authorization', 'cookie', 'content-type', 'accept', 'host'];
  const name = z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/)
    .toLowerCase()
    .refine((lower) => !taken.includes(lower));
  const { schema, expected } = list(name, 'one or more header names, separated by commas');
  return { schema: schema.refine((names) => names.length > 0).transform((names) => [...new Set(names)]), expected };
}

export function url(protocol: RegExp, expected: string): SettingValue<string> {
  return { schema: z.url({ protocol }), expected };
}

export const secretKey: SettingValue<Buffer> = {
  schema: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/)
    .transform((base64): Buffer => Buffer.from(base64, 'base64')),
  expected: '32 random bytes in base64',
};

export const origin = z.string().refine((entry) => URL.canParse(entry) && new URL(entry).origin === entry);

/** An IP address or a CIDR range. A prefix of length 0 would trust every address; the proxy library refuses it too. */
export const addressOrRange = z.string().refine((entry) => {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128);
});

/** A host name in ASCII, or `*.` and a domain for all its subdomains. The result is in lower case, without the last dot. */
export const hostPattern = z
  .string()
  .regex(/^(\*\.)?[0-9A-Za-z_-]{1,63}(\.[0-9A-Za-z_-]{1,63}){0,126}\.?$/)
  .toLowerCase()
  .transform((name) => name.replace(/\.$/, ''));
