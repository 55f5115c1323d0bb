import { onTestFinished, vi } from 'vitest';
import { main } from '../../src/main.ts';
import type { Done } from './edge.ts';

/** Where a command writes: `isTerminal` says what it takes the outputs for. */
interface Place {
  readonly folder: string;
  readonly isTerminal?: boolean;
  /** Called with each output. */
  readonly onOutput?: (text: string) => void;
}

/** Runs a command of `edge` in this process: a thousand of them need no thousand processes. */
export async function runInProcess(args: readonly string[], { folder, isTerminal, onOutput }: Place): Promise<Done> {
  const { stdout, stderr } = process;
  const output = { stdout: '', stderr: '' };
  const listeners = stdout.listeners('error');
  const restored = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const { isTTY } = stream;
    const write = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      onOutput?.(String(chunk));
      return true;
    });
    stream.isTTY = isTerminal ?? false;
    return () => {
      write.mockRestore();
      stream.isTTY = isTTY;
    };
  });
  vi.stubEnv('EDGE_CONFIG_DIR', folder);
  vi.stubEnv('EDGE_PROFILE', '');
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('NO_COLOR', isTerminal ? undefined : '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  try {
    return { code: await main(args, '1.0.0'), ...output };
  } finally {
    for (const restore of restored) restore();
    for (const listener of stdout.listeners('error')) {
      if (!listeners.includes(listener)) stdout.removeListener('error', listener as () => void);
    }
    void stderr;
  }
}
