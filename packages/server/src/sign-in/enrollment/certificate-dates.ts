/** Milliseconds. Certificates are valid from this long before they are issued, because clocks differ. */
const backdating = 60_000;
/** Milliseconds. */
const lifetime = 365 * 86_400_000;

/** When a certificate of an identity or a router is valid: one year from now, in milliseconds since 1970. */
export function certificateDates(now: number): { readonly notBefore: number; readonly notAfter: number } {
  return { notBefore: now - backdating, notAfter: now + lifetime };
}
