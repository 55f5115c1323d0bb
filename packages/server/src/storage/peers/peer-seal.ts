import type { Sealer } from '../../core/secrets/sealer.ts';
import type { Clock } from '../../core/time/clock.ts';

/** Milliseconds that the clocks of two controllers may differ by. Nothing older is taken for new. */
export const maxClockDifference = 30_000;

/** What a controller says or shows. */
export interface Said {
  /** The id of the controller. */
  readonly from: string;
  /** Grows with everything that this controller says and shows. */
  readonly number: number;
  /** Milliseconds since 1970, by its clock. */
  readonly at: number;
  readonly json: string;
}

/**
 * Converts what a controller says to a text in Redis and back. The text has a seal that covers its sender, its number, its time and its
 * place: a channel or a key. So nobody who can write to Redis says something, changes it, or repeats it elsewhere.
 */
export interface PeerSeal {
  write(place: string, json: string): string;
  /** Returns `null` when no controller of ours has written this text for this place. */
  read(place: string, text: string): Said | null;
}

const pattern = /^([\w-]{43}) ([\w.-]{10}) (\d{1,15}) (\d{1,15}) (.*)$/s;

export function createPeerSeal(
  id: string,
  { sealer, clock }: { readonly sealer: Sealer; readonly clock: Clock },
): PeerSeal {
  let number = 0;
  const sealed = (place: string, content: string) => `peer ${place} ${content}`;
  return {
    write(place, json) {
      number += 1;
      const content = `${id} ${number} ${Math.floor(clock())} ${json}`;
      return `${sealer.sign(sealed(place, content))} ${content}`;
    },

    read(place, text) {
      const [, seal = '', from = '', count = '', at = '', json = ''] = pattern.exec(text) ?? [];
      if (seal === '' || !sealer.isSignature(seal, sealed(place, text.slice(seal.length + 1)))) return null;
      return { from, number: Number(count), at: Number(at), json };
    },
  };
}
