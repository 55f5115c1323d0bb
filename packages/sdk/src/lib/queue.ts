/** Runs sections one after the other. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(_key: string, section: () => Promise<T>): Promise<T> => {
    const run = last.then(section);
    last = run.catch(() => undefined);
    return run;
  };
}
