/** Characters. */
const maxKidLength = 256;

/** What a `kid` must be, for an administrator. */
export const kidForm = `a text of 1 to ${maxKidLength} characters`;

/** Whether a value may be the `kid` of a JWT or of a JWK. A `kid` is only compared, never interpreted. */
export function isKid(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maxKidLength;
}
