/** A filter or sort text that cannot be used; the message tells the client why. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}
