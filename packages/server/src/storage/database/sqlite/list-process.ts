// Runs statements that read, one after the other, as a process of its own. See `list-pool.ts`.
import type { ListedRows, WorkerStatement } from './list-worker.ts';
import { openToRead } from './open-file.ts';
import { createStatements } from './statements.ts';

const [, , file = ''] = process.argv;
const prepared = createStatements(openToRead(file));

// A terminal sends its signals to this process, too. It ends when its parent ends or closes the channel.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('message', ({ text, parameters }: WorkerStatement) => process.send?.(read(text, parameters)));
process.send?.('ready');

function read(text: string, parameters: readonly unknown[]): ListedRows {
  try {
    const statement = prepared(text);
    if (!statement.readonly) throw new Error('a list process only reads');
    statement.raw();
    return { columns: statement.columns().map(({ name }) => name), rows: statement.all(...parameters) as unknown[][] };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return { error: { code: code ?? '', message } };
  }
}
