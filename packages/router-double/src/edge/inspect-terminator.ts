import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, readHeader } from '@edge-controller/shared-types/channel';
import { connectionHeader } from './edge-channel.ts';
import type { HostedTerminator } from './hosted-terminator.ts';

interface Inspection {
  readonly isLive: boolean;
  readonly detail: string;
}

/** The header `connectionType` of a live listener. */
const bindType = 2;

/** Asks an application whether it hosts a terminator. One that cannot be asked is believed. */
export function inspectTerminator(terminator: HostedTerminator, timeout: number): Promise<Inspection> {
  if (!terminator.bind.canInspect) return Promise.resolve({ isLive: true, detail: '' });
  const headers = connectionHeader(terminator.connectionId);
  return new Promise((resolve) => {
    const onReply = (reply: Frame | null) => resolve(reply ? readInspection(reply) : lost);
    terminator.channel.request({ type: edgeTypes.connectionInspect, headers }, timeout, onReply);
  });
}

const lost: Inspection = { isLive: false, detail: 'the application did not answer in time' };

function readInspection({ type, headers, body }: Frame): Inspection {
  const isAnswer = type === edgeTypes.connectionInspectResponse;
  const isLive = isAnswer && readHeader.u8(headers.get(edgeHeaders.connectionType)) === bindType;
  return { isLive, detail: new TextDecoder().decode(body) };
}
