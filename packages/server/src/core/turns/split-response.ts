/**
 * A response in two parts. `constant` is the same object for many requests, so that its text can be made once; `changing`
 * has the other members.
 */
export class SplitResponse<Whole extends object> {
  readonly constant: object;
  readonly changing: object;

  private constructor(constant: object, changing: object) {
    this.constant = constant;
    this.changing = changing;
  }

  static of<Constant extends object, Changing extends object>(constant: Constant, changing: Changing) {
    return new SplitResponse<Constant & Changing>(constant, changing);
  }

  whole(): Whole {
    return { ...this.constant, ...this.changing } as Whole;
  }
}
