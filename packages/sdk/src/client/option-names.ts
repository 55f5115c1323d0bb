import type { EdgeClientOptions } from '../api/options.ts';

const all: { readonly [Name in keyof Required<EdgeClientOptions>]: 1 } = {
  storage: 1,
  sessionHeader: 1,
  timeout: 1,
  retries: 1,
  origins: 1,
  fetch: 1,
  headers: 1,
  onRequest: 1,
  onResponse: 1,
  logger: 1,
  traceparent: 1,
  sdkInfo: 1,
  onAuthQuery: 1,
  secondaryToken: 1,
  reauthenticate: 1,
  onStepUp: 1,
  reauthenticateTimeout: 1,
  keepAlive: 1,
  posture: 1,
  clock: 1,
};

/** The names of the options of a client. */
export const optionNames: readonly string[] = Object.keys(all);
