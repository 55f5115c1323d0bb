import type { SentCall } from './sent-call.ts';

const secretMembers = new Set([
  'password',
  'token',
  'currentPassword',
  'newPassword',
  'code',
  'authorization',
  'mfa-validation-code',
]);

/** The secret values of a call. Errors must not contain them. */
export function secretsOf({ call: { path, headers, body }, token, jwts }: SentCall): string[] {
  const members: [string, unknown][] = [
    ...new URLSearchParams(path.split('?')[1]),
    ...Object.entries(headers),
    ...Object.entries(body ?? {}),
    ['token', token],
  ];
  const given = members.flatMap(([name, value]) =>
    secretMembers.has(name) && typeof value === 'string' && value !== '' ? [value.replace('Bearer ', '')] : [],
  );
  return [...given, ...jwts];
}
