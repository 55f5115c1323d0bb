import type { Logger } from './log.ts';

/** Kinds of lines that are distinguished. Further ones share a group. */
const maxGroups = 50;
const interval = 60_000;

interface Group {
  count: number;
  line: object;
  readonly message: string;
}

/**
 * Log lines at level `warn` that unauthenticated clients can cause at any rate. The first of a kind is written at once. Those that follow in the same
 * minute are one line with their number, and so are those of each further minute.
 */
export class GroupedLines {
  readonly #log: Logger;
  readonly #groups = new Map<string, Group>();
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param kind lines of the same kind are counted together; without texts of others */
  warn(kind: string, line: object, message: string): void {
    const key = this.#groups.has(kind) || this.#groups.size < maxGroups ? kind : '';
    const group = this.#groups.get(key);
    if (group) {
      group.count += 1;
      group.line = line;
      return;
    }
    this.#groups.set(key, { count: 0, line, message });
    this.#log.warn(line, message);
    this.#timer ??= setInterval(() => this.#write(), interval).unref();
  }

  /** Writes what was counted. */
  close(): void {
    this.#write();
    this.#groups.clear();
    this.#stop();
  }

  #write(): void {
    for (const [key, group] of this.#groups) {
      if (group.count === 0) this.#groups.delete(key);
      else this.#log.warn({ ...group.line, count: group.count }, group.message);
      group.count = 0;
    }
    if (this.#groups.size === 0) this.#stop();
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
