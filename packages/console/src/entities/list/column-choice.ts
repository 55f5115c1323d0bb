import { useState } from 'react';

const prefix = 'edge-console-columns:';
/** Columns of a choice, and characters of each. */
const maxColumns = 60;
const maxLength = 100;

/** The columns that somebody chose for a resource in this browser, or `null`. */
export function useColumnChoice(
  resource: string,
): readonly [readonly string[] | null, (choice: readonly string[] | null) => void] {
  const [choice, setChoice] = useState(() => storedChoice(resource));
  return [
    choice,
    (next) => {
      setChoice(next);
      if (next === null) localStorage.removeItem(prefix + resource);
      else localStorage.setItem(prefix + resource, JSON.stringify(next.slice(0, maxColumns)));
    },
  ];
}

function storedChoice(resource: string): readonly string[] | null {
  const stored = localStorage.getItem(prefix + resource);
  if (stored === null) return null;
  try {
    const names: unknown = JSON.parse(stored);
    if (!Array.isArray(names)) return null;
    const valid = names.filter((name): name is string => typeof name === 'string' && name.length <= maxLength);
    return valid.length === 0 ? null : valid.slice(0, maxColumns);
  } catch {
    return null;
  }
}
