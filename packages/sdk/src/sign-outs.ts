export type SignOuts = ReturnType<typeof createSignOuts>;

/** Counts the sign-outs of a client. A sign-in that is not finished must not begin a session after one. */
export function createSignOuts() {
  let count = 0;
  return {
    note(): void {
      count += 1;
    },
    /** Call it when a sign-in begins. It returns a function that says whether nobody has signed out since then. */
    watch(): () => boolean {
      const before = count;
      return () => count === before;
    },
  };
}
