/**
 * A hook throws this when it needs something that takes long: others must not wait for its transaction. The transaction is rolled back,
 * and the change begins again after `work`.
 */
export class Postponed extends Error {
  override readonly name = 'Postponed';
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    super('the change begins again');
    this.work = work;
  }
}
