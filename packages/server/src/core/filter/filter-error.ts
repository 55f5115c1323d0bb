/** An invalid filter or sort parameter. The message is sent to the client. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}
