import { EdgeNetworkError, platformCode } from './errors.ts';

/**
 * Runs an `import()`, and once more when it fails.
 *
 * @throws EdgeNetworkError when a page is offline, or when its server has the files of another version by now
 */
export function loadCode<T>(load: () => Promise<T>): Promise<T> {
  return load()
    .catch(load)
    .catch((cause: unknown) => {
      throw new EdgeNetworkError('the server of the files of the SDK', platformCode(cause), cause);
    });
}
