/**
 * A function that runs `run` with the target while the application still has a reference to it. A timer or a channel that calls
 * this function does not keep a client in memory that the application has dropped. `run` must not capture the target.
 */
export function weakCallback<T extends object, A = void>(
  target: T,
  run: (target: T, argument: A) => void,
): (argument: A) => void {
  const reference = new WeakRef(target);
  return (argument) => {
    const value = reference.deref();
    if (value) run(value, argument);
  };
}
