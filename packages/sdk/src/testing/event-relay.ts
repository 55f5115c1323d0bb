import type { Controller } from '@edge-controller/server';

type Events = Pick<Controller['events'], 'on'>;

/** Listeners that stay when a controller is replaced by the next one. */
interface EventRelay extends Events {
  /** From now on the listeners get the events of this controller. */
  attach(events: Events): void;
}

export function createEventRelay(): EventRelay {
  const listeners = new Map<(events: Events) => () => void, () => void>();
  let current: Events | null = null;
  return {
    on(name, listener) {
      const listen = (events: Events) => events.on(name, listener);
      listeners.set(listen, current ? listen(current) : () => undefined);
      return () => {
        listeners.get(listen)?.();
        listeners.delete(listen);
      };
    },
    attach(events) {
      current = events;
      for (const listen of listeners.keys()) listeners.set(listen, listen(events));
    },
  };
}
