import type { Frame } from '@edge-controller/shared-types/channel';
import { dataFlags, edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { connectionHeaders } from './connection-headers.ts';
import type { ChannelMember, RouterChannel } from './router-channel.ts';

interface Lingering {
  readonly channel: RouterChannel;
  readonly id: number;
  /** Takes its place on the channel. */
  readonly instead: ChannelMember;
  readonly peerHasEnded: boolean;
}

/** Milliseconds. */
const lingerTime = 5_000;
/** Milliseconds that are left for the last data of this side after the other one has ended. */
const settleTime = 1_000;

/** Tells the router that a connection is over. Data of both sides that is still on its way is lost. */
export function sendClosed(channel: RouterChannel, id: number): void {
  channel.send(edgeTypes.stateClosed, connectionHeaders(id, [[edgeHeaders.sequence, headerValue.u32(1)]]));
}

/**
 * Ends a connection that has sent everything, so that the last data reaches the other end: it waits until that one closes the
 * connection, or for some seconds.
 */
export function linger({ channel, id, instead, peerHasEnded }: Lingering): void {
  let timer = setTimeout(close, peerHasEnded ? settleTime : lingerTime);
  const member: ChannelMember = {
    kind: 'dial',
    receive({ type, headers }: Frame) {
      const hasEnded = ((readHeader.u32(headers.get(edgeHeaders.flags)) ?? 0) & dataFlags.fin) !== 0;
      if (type === edgeTypes.stateClosed) forget();
      else if (type === edgeTypes.data && hasEnded) {
        clearTimeout(timer);
        timer = setTimeout(close, settleTime);
      }
    },
    lost: forget,
  };
  channel.replace(id, instead, member);

  function close(): void {
    sendClosed(channel, id);
    forget();
  }

  function forget(): void {
    clearTimeout(timer);
    channel.replace(id, member, null);
    channel.release();
  }
}
