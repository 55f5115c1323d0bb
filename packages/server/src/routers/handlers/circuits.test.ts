import { CircuitConfirmationSchema, encode, FaultSchema, FaultSubject } from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { expect, it } from 'vitest';
import { CircuitTable } from '../circuits/circuit-table.ts';
import type { RouterCall } from '../dependencies.ts';
import { routerMessages } from './index.ts';

const ids = Array.from({ length: 250 }, (_, at) => `circuit-${at}~other`);
const [confirmed, failed] = [
  encode(CircuitConfirmationSchema, { circuitIds: ids }),
  encode(FaultSchema, { subject: FaultSubject.FORWARD, id: ids.join(' ') }),
];

it.each([
  ['confirms', 'confirm', controlTypes.circuitConfirmation, confirmed],
  ['cannot forward', 'unforwarded', controlTypes.fault, failed],
] as const)(
  'a router that %s many circuits of another controller waits for its messages',
  async (_what, kind, type, body) => {
    const messages: { readonly kind: string; readonly sent: () => void }[] = [];
    const call = {
      router: {
        id: 'router',
        channel: {
          async *parts(list: readonly string[], size: number) {
            for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
          },
        },
      },
      circuits: { table: new CircuitTable() },
      passOn: (_id: string, message: { readonly kind: string }) =>
        new Promise<void>((sent) => void messages.push({ kind: message.kind, sent })),
      frame: { type, sequence: 1, headers: new Map(), body },
    } as unknown as RouterCall;
    let isDone = false;
    const done = Promise.resolve(routerMessages.get(type)?.handle(call)).then(() => {
      isDone = true;
    });
    for (const begun of [100, 200, 250]) {
      // Time enough for all of them, if it did not wait.
      await new Promise(setImmediate);
      expect([messages.length, isDone]).toEqual([begun, false]);
      for (const { sent } of messages.slice(-100)) sent();
    }
    await done;
    expect(new Set(messages.map((message) => message.kind))).toEqual(new Set([kind]));
  },
);
