import { isDeepStrictEqual } from 'node:util';
import {
  CreateTerminatorRequestSchema,
  decode,
  FaultSchema,
  FaultSubject,
  RouterLinksSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes, edgeTypes, headers, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { expect } from 'vitest';
import type { FramePeer } from './frame-peer.ts';
import type { RecordedFrame } from './recording.ts';
import { showFrame } from './shown-frame.ts';

/** The other side of a channel of the router, and what its sequences were in the recording. */
interface PlayedChannel {
  readonly peer: FramePeer;
  /** Recorded sequence of the router → sequence now. */
  readonly sequences: Map<number, number>;
  isSubscribed?: true;
}

interface ReplayOptions {
  /** Opens what a recorded hello has opened. */
  readonly openControl: (routerId: string) => Promise<FramePeer>;
  readonly openApplication: (identityId: string) => Promise<FramePeer>;
  /** Runs before a frame of the router is expected: what the recording does not show may have to be done. */
  readonly before?: (recorded: RecordedFrame) => Promise<void> | void;
  /** Text of the recording → text now. Both have the same length. */
  readonly replaced: Map<string, string>;
}

/** Sent when the time has come, not when something else was sent. */
const byTime = new Set<number>([
  ...[controlTypes.heartbeat, controlTypes.routerInterfaces, controlTypes.connectEvents],
  controlTypes.apiSessionHeartbeat,
]);

/** Plays what controller and applications sent in a recording, and compares what the router sends. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #control = new Map<string, PlayedChannel>();
  readonly #applications = new Map<string, PlayedChannel>();
  readonly #forwardFaults = new Set<string>();

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  control(routerId: string): PlayedChannel | undefined {
    return this.#control.get(routerId);
  }

  /** @param leftOut types of frames that the recording does not have */
  async play(recording: readonly RecordedFrame[], leftOut: readonly number[] = []): Promise<void> {
    for (const recorded of recording) {
      if (recorded.from === 'router') await this.#expect(recorded);
      else await this.#send(recorded);
    }
    for (const { peer } of [...this.#control.values(), ...this.#applications.values()]) {
      const others = peer.unread.filter((frame) => !byTime.has(frame.type) && !isByChance(frame));
      const types = others.map(({ type }) => type).filter((type) => !leftOut.includes(type));
      expect(types, 'what the recording does not have').toEqual([]);
      for (const frame of peer.unread.filter(isForwardFault)) this.#recordForwardFault(frame);
      peer.unread = [];
    }
  }

  /** Plays only what the controller does by itself, verifies each router, and expects these frames in any order. */
  async playInAnyOrder(recording: readonly RecordedFrame[]): Promise<void> {
    for (const { peer } of this.#control.values()) peer.onFrame = (frame) => verify(peer, frame);
    for (const recorded of recording.filter(({ from }) => from === 'controller')) await this.#send(recorded);
    for (const recorded of recording.filter(({ from }) => from === 'router')) await this.#expect(recorded);
  }

  async #send({ from, peer: id, frame }: RecordedFrame): Promise<void> {
    const { openApplication } = this.#options;
    if (from === 'application' && frame.type === edgeTypes.hello) {
      this.#applications.set(id, { peer: await openApplication(id), sequences: new Map() });
    }
    const channel = (from === 'controller' ? this.#control : this.#applications).get(id);
    if (!channel) throw new Error(`no channel of ${id}`);
    channel.peer.send(this.#now(frame, channel));
  }

  async #expect(recorded: RecordedFrame): Promise<void> {
    const { to, peer: id, frame, name } = recorded;
    if (to === 'controller' && frame.type === controlTypes.hello) {
      this.#control.set(id, { peer: await this.#options.openControl(id), sequences: new Map() });
    }
    await this.#options.before?.(recorded);
    const channel = (to === 'controller' ? this.#control : this.#applications).get(id);
    if (!channel || to === 'router') throw new Error(`no channel of ${id}`);
    if (isForwardFault(frame)) return this.#expectForwardFault(channel, frame);
    // A real router subscribes up to three times.
    if (frame.type === controlTypes.subscribeToDataModel && channel.isSubscribed) return;
    if (frame.type === controlTypes.subscribeToDataModel) channel.isSubscribed = true;
    const expected = this.#shown(frame, to, channel);
    const isWanted = (one: Frame) => {
      if (one.type === frame.type && to === 'controller') this.#learnIds(frame, one);
      return one.type === frame.type && isDeepStrictEqual(showFrame(one, to), this.#shown(frame, to, channel));
    };
    const found = await channel.peer.take(name, isWanted).catch((error: Error) => error);
    if (found instanceof Error) {
      const sameType = channel.peer.unread.filter(({ type }) => type === frame.type);
      expect(
        sameType.map((one) => showFrame(one, to)),
        `${name}: ${found.message}`,
      ).toContainEqual(expected);
      throw found;
    }
    channel.sequences.set(frame.sequence, found.sequence);
    this.#expectReply(frame, found);
  }

  /** A reply answers what it answered in the recording. Controller and applications have the sequences of the recording. */
  #expectReply(recorded: Frame, found: Frame): void {
    const sequenceOf = ({ headers: all }: Frame) => readHeader.i32(all.get(headers.replyFor));
    expect(sequenceOf(found)).toBe(sequenceOf(recorded));
  }

  /** A router reports them together, some time later. */
  async #expectForwardFault({ peer }: PlayedChannel, frame: Frame): Promise<void> {
    for (const id of decode(FaultSchema, frame.body).id.split(' ')) {
      while (!this.#forwardFaults.has(id)) {
        this.#recordForwardFault(await peer.take(`a ForwardFault of ${id}`, isForwardFault));
      }
    }
  }

  #recordForwardFault({ body }: Frame): void {
    for (const id of decode(FaultSchema, body).id.split(' ')) this.#forwardFaults.add(id);
  }

  /** A router chooses the ids of terminators and of the links that it dials. */
  #learnIds(recorded: Frame, found: Frame): void {
    for (const [at, id] of idsOf(recorded).entries()) this.#options.replaced.set(id, idsOf(found)[at] ?? id);
  }

  #shown(frame: Frame, to: 'controller' | 'application', channel: PlayedChannel): unknown {
    return showFrame(this.#now(frame, channel), to);
  }

  /** The frame with the ids and fingerprints of now. */
  #now({ type, sequence, headers: all, body }: Frame, { sequences }: PlayedChannel): Frame {
    const changed = new Map([...all].map(([key, value]) => [key, this.#replace(value)]));
    const answered = readHeader.i32(all.get(headers.replyFor));
    if (answered !== undefined) changed.set(headers.replyFor, headerValue.i32(sequences.get(answered) ?? answered));
    return { type, sequence, headers: changed, body: this.#replace(body) };
  }

  #replace(bytes: Uint8Array): Uint8Array {
    let text = Buffer.from(bytes).toString('latin1');
    for (const [before, now] of this.#options.replaced) text = text.replaceAll(before, now);
    return Buffer.from(text, 'latin1');
  }
}

function idsOf({ type, body }: Frame): readonly string[] {
  if (type === controlTypes.createTerminator) return [decode(CreateTerminatorRequestSchema, body).address];
  return type === controlTypes.routerLinks ? decode(RouterLinksSchema, body).links.map(({ id }) => id) : [];
}

function verify(peer: FramePeer, { type, sequence }: Frame): boolean {
  if (type !== controlTypes.verifyRouter) return false;
  const all = new Map([
    [headers.replyFor, headerValue.i32(sequence)],
    [headers.isSuccess, headerValue.boolean(true)],
  ]);
  peer.send({ type: controlTypes.result, sequence: 1_000, headers: all, body: new Uint8Array() });
  return true;
}

/** Which router notices first that a link is gone, and who has reported what cannot be forwarded. */
function isByChance({ type, body }: Frame): boolean {
  const subjects = [FaultSubject.FORWARD, FaultSubject.LINK, FaultSubject.LINK_DUPLICATE];
  return type === controlTypes.fault && subjects.includes(decode(FaultSchema, body).subject);
}

function isForwardFault({ type, body }: Frame): boolean {
  return type === controlTypes.fault && decode(FaultSchema, body).subject === FaultSubject.FORWARD;
}
