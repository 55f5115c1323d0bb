/** Milliseconds since 1970. The only reader of the wall clock. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
