/** A newer version of the controller has changed the schema of the database. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
  readonly fix = 'start the newer version, or restore a backup from before the update';

  constructor(changes: readonly string[]) {
    super(`a newer version of the controller has changed the database (${changes.join(', ')})`);
  }
}
