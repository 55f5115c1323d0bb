/** Where a person sets a password. What the page needs is in the fragment, which no browser sends to a server. */
export const setPasswordPath = '/console/set-password';

export interface SetPasswordLink {
  /** The JWT of an enrollment `updb`. */
  readonly jwt: string;
  /** The user name that it is for. */
  readonly username: string;
}

/** @param controller the address of the controller */
export function setPasswordLink(controller: string, { jwt, username }: SetPasswordLink): string {
  const link = new URL(setPasswordPath, controller);
  link.hash = new URLSearchParams({ username, jwt }).toString();
  return link.href;
}

/** @param fragment what follows `#` in the address */
export function readSetPasswordLink(fragment: string): SetPasswordLink {
  const members = new URLSearchParams(fragment);
  return { jwt: members.get('jwt') ?? '', username: members.get('username') ?? '' };
}
