interface PageTarget {
  addEventListener?(type: string, listener: () => void, options: { signal: AbortSignal; once?: true }): void;
}

/** What a browser has. Workers and servers lack parts or all of it. */
interface Page extends PageTarget {
  readonly document?: PageTarget & { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
  requestIdleCallback?(run: () => void): void;
}

const page = () => globalThis as Page;

export const isHidden = (): boolean => page().document?.visibilityState === 'hidden';

export const isOffline = (): boolean => page().navigator?.onLine === false;

/** Runs the listener when the page is shown or hidden, until the signal aborts. */
export function onVisibility(listener: () => void, signal: AbortSignal): void {
  page().document?.addEventListener?.('visibilitychange', listener, { signal });
}

/** Runs the listener at an event of the window, until the signal aborts. */
export function onPage(event: 'online' | 'pagehide', listener: () => void, signal: AbortSignal): void {
  page().addEventListener?.(event, listener, { signal });
}

/** Runs it when a page is online and has nothing else to do, unless the signal aborts. Workers and servers never run it. */
export function whenIdle(run: () => void, signal: AbortSignal): void {
  const { document, requestIdleCallback = (later: () => void) => setTimeout(later, 1_000) } = page();
  if (!document) return;
  requestIdleCallback(() => {
    // A browser logs each file that it cannot load.
    if (isOffline()) page().addEventListener?.('online', () => whenIdle(run, signal), { signal, once: true });
    else if (!signal.aborted) run();
  });
}
