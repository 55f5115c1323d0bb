import { expect } from 'vitest';
import type { Program } from './program.ts';

/** A dialer ends, and all bytes came back to it as it sent them, on each connection. */
export async function expectEcho(dialer: Program, bytes: number, connections = 1) {
  expect(await dialer.ended, String(dialer)).toBe(0);
  expect(dialer.count('transferred')).toBe(connections);
  for (const event of dialer.events.filter((each) => each.event === 'transferred')) {
    expect(event).toMatchObject({ bytes, receivedSha256: event.sentSha256 });
    expect(event.error).toBeUndefined();
  }
}
