import { useState } from 'react';

/** Runs something asynchronous and keeps whether it runs and why it failed. */
export function useAction<Parameters extends unknown[]>(work: (...parameters: Parameters) => Promise<unknown>) {
  const [{ isPending, error }, setProgress] = useState<{ isPending: boolean; error: unknown }>({
    isPending: false,
    error: null,
  });

  async function run(...parameters: Parameters) {
    setProgress({ isPending: true, error: null });
    const failure = await work(...parameters).then(
      () => null,
      (reason: unknown) => reason,
    );
    setProgress({ isPending: false, error: failure });
  }

  return { run, isPending, error };
}
