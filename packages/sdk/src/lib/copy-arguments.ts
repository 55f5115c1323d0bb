/** Copies plain objects. The code of a call may have to be loaded, and an application may clear a password right after the call. */
export function copyArguments(args: readonly unknown[]): unknown[] {
  return args.map((one) => (one?.constructor === Object ? { ...one } : one));
}
