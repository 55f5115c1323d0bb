import type { ControllerEvents, EventName } from './events.ts';

type Listener<N extends EventName> = (payload: ControllerEvents[N]) => void;

/** The events of a controller: `controller.events`. */
export interface EventBus {
  /** Adds a listener of one event, or of several, and returns a function that removes it. */
  on<N extends EventName>(names: N | readonly N[], listener: Listener<N>): () => void;
  /** Calls every listener and waits for none. An error in a listener, or its rejection, never affects the request. */
  emit<N extends EventName>(name: N, payload: ControllerEvents[N]): void;
}

/** `onListenerError` receives the errors that listeners throw or reject with. */
export function createEventBus(onListenerError: (name: EventName, error: unknown) => void): EventBus {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  return {
    on(names, listener) {
      const sets = [names].flat().map((name) => {
        const set = listeners.get(name) ?? new Set();
        listeners.set(name, set);
        return set.add(listener);
      });
      return () => sets.forEach((set) => void set.delete(listener));
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
