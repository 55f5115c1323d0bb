export type Theme = 'system' | 'light' | 'dark';

const key = 'edge-console-theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  document.documentElement.dataset.theme = theme;
}
