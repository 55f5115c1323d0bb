import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { exportEntries, maxExported, saveFile } from './export-entries.ts';

type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly count: number }
  | { readonly state: 'done'; readonly count: number; readonly end: 'complete' | 'stopped' | 'cut' }
  | { readonly state: 'failed'; readonly error: unknown };

/** Saves what a filter selects as JSON lines. */
export function ExportButton({ expression }: { readonly expression: string }) {
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function run(): Promise<void> {
    const stop = new AbortController();
    running.current = stop;
    setProgress({ state: 'running', count: 0 });
    try {
      const onProgress = (count: number) => setProgress({ state: 'running', count });
      const { file, count, isCut } = await exportEntries(expression, stop.signal, onProgress);
      saveFile(file, 'audit-log.jsonl');
      setProgress({ state: 'done', count, end: isCut ? 'cut' : stop.signal.aborted ? 'stopped' : 'complete' });
    } catch (error) {
      setProgress({ state: 'failed', error });
    }
  }

  if (progress.state === 'running') {
    return (
      <>
        <Button onPress={() => running.current?.abort()}>Stop export</Button>
        <span role="status">{progress.count.toLocaleString()} entries read …</span>
      </>
    );
  }
  return (
    <>
      <Button onPress={() => void run()}>Export</Button>
      {progress.state === 'done' && <Notice kind="good">{doneText(progress.count, progress.end)}</Notice>}
      {progress.state === 'failed' && <ErrorNotice error={progress.error} />}
    </>
  );
}

function doneText(count: number, end: 'complete' | 'stopped' | 'cut'): string {
  const saved = `${count.toLocaleString()} ${count === 1 ? 'entry' : 'entries'} saved`;
  if (end === 'stopped') return `${saved}. You stopped the export before its end.`;
  if (end === 'cut') {
    return `${saved}. A file has at most ${maxExported.toLocaleString()} entries: filter by time for the rest.`;
  }
  return `${saved}.`;
}
