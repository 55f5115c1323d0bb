/**
 * A function that runs `run` with the target as long as somebody else holds the target. A timer or a channel that calls it
 * does not keep a client that the application has dropped. `run` must not capture the target.
 */
export function weakCallback<T extends object, A = void>(
  target: T,
  run: (target: T, argument: A) => void,
): (argument: A) => void {
  const reference = new WeakRef(target);
  return (argument) => {
    const held = reference.deref();
    if (held) run(held, argument);
  };
}
