/** How many earlier sessions a client remembers, to ignore late responses and late messages. */
const limit = 100;

/** The sessions that ended or were replaced: token and identity. */
export function createPastSessions() {
  const identities = new Map<string, string>();
  return {
    /** Without `identityId`: the session of another client. */
    add(token: string, identityId?: string): void {
      identities.set(token, identityId ?? identities.get(token) ?? '');
      if (identities.size > limit) identities.delete([...identities.keys()][0] ?? '');
    },
    identityOf: (token: string): string | undefined => identities.get(token),
  };
}
