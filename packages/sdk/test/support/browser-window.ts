import { vi } from 'vitest';

/** A browser window with a page. `show` and `connect` change it and emit the event. */
export function browserWindow() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const navigator = { onLine: true };
  const target = new EventTarget();
  vi.stubGlobal('document', document);
  vi.stubGlobal('navigator', navigator);
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  return {
    document,
    show(visibilityState: 'visible' | 'hidden') {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    },
    connect(onLine: boolean) {
      navigator.onLine = onLine;
      target.dispatchEvent(new Event(onLine ? 'online' : 'offline'));
    },
  };
}
