import { isWatched } from './terminal.ts';

const visibleAfter = 1_000;

/** Counts what is done. A bar shows it on a terminal, from the second second on. */
export interface Progress {
  tick(count?: number): void;
  stop(): void;
}

export function startProgress(label: string, total: number): Progress {
  let done = 0;
  let bar: { update(value: number): void; stop(): void } | null = null;
  const timer = setTimeout(async () => {
    const { default: library } = await import('cli-progress');
    const format = `${label} {bar} {value}/{total} {eta_formatted}`;
    const shown = new library.SingleBar({ format, stream: process.stderr, clearOnComplete: true, barsize: 24 });
    shown.start(total, done);
    if (isStopped) shown.stop();
    else bar = shown;
  }, visibleAfter);
  let isStopped = false;
  if (!isWatched()) clearTimeout(timer);
  return {
    tick(count = 1) {
      done += count;
      bar?.update(done);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      bar?.stop();
    },
  };
}
