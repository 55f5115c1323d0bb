import { openToRead } from './open-file.ts';

/** Says what is damaged in a database file. `null`: nothing is. A controller may use the file meanwhile. */
export function damageOf(file: string): string | null {
  const database = openToRead(file);
  try {
    const [first] = database.pragma('quick_check(1)') as { quick_check: string }[];
    return first?.quick_check === 'ok' ? null : (first?.quick_check ?? 'unknown damage');
  } finally {
    database.close();
  }
}
