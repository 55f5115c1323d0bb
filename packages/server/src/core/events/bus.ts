import type { ControllerEvents, EventName } from './events.ts';

type Listener<N extends EventName> = (payload: ControllerEvents[N]) => void;

/** The events of a controller: `controller.events`. */
export interface EventBus {
  /** Adds a listener and returns a function that removes it. */
  on<N extends EventName>(name: N, listener: Listener<N>): () => void;
  /** Calls every listener and waits for none. An error in a listener, or its rejection, never affects the request. */
  emit<N extends EventName>(name: N, payload: ControllerEvents[N]): void;
}

/** `onListenerError` receives the errors that listeners throw or reject with. */
export function createEventBus(onListenerError: (name: EventName, error: unknown) => void): EventBus {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set);
      set.add(listener);
      return () => void set.delete(listener);
    },
    emit(name, payload) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          const result = (listener as (payload: unknown) => unknown)(payload);
          if (result instanceof Promise) result.catch((error) => onListenerError(name, error));
        } catch (error) {
          onListenerError(name, error);
        }
      }
    },
  };
}
