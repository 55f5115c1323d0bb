import type { PreparedCall } from './calls.ts';

/** The header with the code that is a second factor of one call. */
export const codeHeader = 'mfa-validation-code';

const secretMembers = new Set([
  'password',
  'token',
  'currentPassword',
  'newPassword',
  'code',
  'authorization',
  codeHeader,
]);

/** The secret values of a call. Errors must not contain them. */
export function secretsOf({ path, headers, body }: PreparedCall, token: string | null): string[] {
  const query = [...new URLSearchParams(path.split('?')[1] ?? '')];
  const members: [string, unknown][] = [
    ...query,
    ...Object.entries(headers),
    ...Object.entries(body ?? {}),
    ['token', token],
  ];
  return members.flatMap(([name, value]) =>
    secretMembers.has(name) && typeof value === 'string' && value !== '' ? [value.replace('Bearer ', '')] : [],
  );
}
