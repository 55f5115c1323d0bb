const key = 'edge-console-owner';

/** Notes in this tab whose page its address is. Returns whether it was the page of somebody else. */
export function takeAddress(identityId: string): boolean {
  const last = sessionStorage.getItem(key);
  sessionStorage.setItem(key, identityId);
  return last !== null && last !== identityId;
}

export function forgetOwner(): void {
  sessionStorage.removeItem(key);
}
