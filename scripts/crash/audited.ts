import type { Fault, Send } from './controller.ts';

/** The entry of an acknowledged act: its name, and what was acted on. */
export type Act = readonly [event: string, entityId: string | undefined];

interface Entry {
  readonly sequence: number;
  readonly event: string;
  readonly entityId: string | null;
}

export type Audited = ReturnType<typeof createAudited>;

const page = 500;
const keyOf = (event: string, entityId: string | null | undefined) => `${event} ${entityId}`;

/** The acts that were acknowledged, of all lives of the controller, and the entries of its audit log. */
export function createAudited() {
  const acknowledged = new Map<string, number>();
  const entries = new Map<string, number>();
  let last = 0;
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

  return {
    acknowledge: ([event, entityId]: Act) => void add(acknowledged, keyOf(event, entityId)),

    /** Reads the entries since the last time. Each acknowledged act must have its own, and none may be missing in between. */
    async verify(send: Send, token: string, fault: Fault) {
      for (let found = page; found === page; ) {
        const query = `limit=${page}&sort=sequence&filter=${encodeURIComponent(`sequence > ${last}`)}`;
        const { data } = await send<Entry[]>([200], 'GET', `/edge/management/v1/audit-log?${query}`, { token });
        for (const { sequence, event, entityId } of data) {
          if (sequence !== last + 1) fault(`the audit log has ${sequence} after ${last}`);
          last = sequence;
          add(entries, keyOf(event, entityId));
        }
        found = data.length;
      }
      for (const [key, count] of acknowledged) {
        const noted = entries.get(key) ?? 0;
        if (noted < count) fault(`"${key}" was acknowledged ${count} times, and has ${noted} entries in the audit log`);
      }
    },
  };
}
