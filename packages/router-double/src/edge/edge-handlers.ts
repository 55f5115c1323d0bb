import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headers, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { DialedConnection } from './dialed-connection.ts';
import type { EdgeChannel } from './edge-channel.ts';
import { connectionIdOf } from './edge-channel.ts';
import type { EdgeParts } from './edge-parts.ts';
import { HostedTerminator } from './hosted-terminator.ts';
import type { Terminators } from './terminators.ts';

type EdgeHandler = (channel: EdgeChannel, frame: Frame) => void;

/** What a router does with the messages of applications. Of others it takes no notice. */
export function createEdgeHandlers(parts: EdgeParts, terminators: Terminators): Readonly<Record<number, EdgeHandler>> {
  return {
    [edgeTypes.ping]: answer,
    [edgeTypes.latency]: answer,
    [edgeTypes.connect](channel, frame) {
      const id = connectionIdOf(frame);
      if (id === undefined) return;
      const connection = new DialedConnection(parts, channel, id, frame);
      if (channel.add(id, connection)) void connection.open();
      else channel.refuse(frame, 'the connection id is in use');
    },
    [edgeTypes.bind](channel, frame) {
      const id = connectionIdOf(frame);
      if (id !== undefined) terminators.bind(channel, id, frame);
    },
    [edgeTypes.unbind]: close,
    [edgeTypes.stateClosed]: close,
    [edgeTypes.updateBind](channel, frame) {
      const terminator = channel.connection(connectionIdOf(frame));
      if (terminator instanceof HostedTerminator) parts.control.send(terminator.updateRequest(frame));
    },
    [edgeTypes.data](channel, frame) {
      const flags = readHeader.u32(frame.headers.get(edgeHeaders.flags));
      channel.connection(connectionIdOf(frame))?.data(flags, frame.body);
    },
  };
}

function answer(channel: EdgeChannel, frame: Frame): void {
  const isSuccess = new Map([[headers.isSuccess, headerValue.boolean(true)]]);
  channel.reply(frame, { type: edgeTypes.result, headers: isSuccess });
}

function close(channel: EdgeChannel, frame: Frame): void {
  const id = connectionIdOf(frame);
  const connection = channel.connection(id);
  if (id === undefined || !connection) return;
  channel.remove(id);
  connection.closed();
}
