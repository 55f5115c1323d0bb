import { invalidField } from '../../core/api-error.ts';

const minLength = 4;

/** @throws 400 with field `username` when no sign-in could have the user name */
export function refuseShortUsername(username: string): void {
  if (username.length >= minLength) return;
  throw invalidField('username', `username in body should be at least ${minLength} chars long`, username);
}
