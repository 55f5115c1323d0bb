/** Why a file cannot be imported. The message has names, and no value of a row: it may be a secret. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
