const hour = 3_600_000;

export const validities = [
  { id: '1', label: '1 hour' },
  { id: '24', label: '1 day' },
  { id: '168', label: '7 days' },
  { id: '720', label: '30 days' },
] as const;

/** Of a JWT that somebody renews without a choice. */
export const defaultValidity = '24';

/** When an enrollment expires that is made now, RFC 3339. */
export function expiryAfter(hours: string): string {
  return new Date(Date.now() + Number(hours) * hour).toISOString();
}
