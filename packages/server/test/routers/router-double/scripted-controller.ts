import { generateKeyPairSync } from 'node:crypto';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { ApiSession } from '@edge-controller/router-messages';
import {
  ApiSessionAddedSchema,
  DataStateSchema,
  decode,
  encode,
  KeyFormat,
  KeyUsage,
  ServerHelloSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import { CompactSign } from 'jose';
import type { FramePeer } from './frame-peer.ts';
import { ControlListener } from './frame-peer.ts';
import type { TestNetwork } from './network.ts';

type Header = [number, Uint8Array];
type NewApiSession = Pick<ApiSession, 'id' | 'token' | 'identityId' | 'certFingerprints'>;

const none: Uint8Array = new Uint8Array();
const versionInfo = 'v1.7.2|x|2026-01-01|linux|amd64';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The public key of the tokens, as a controller sends it. */
export function keyEvent(kid: string) {
  const data = publicKey.export({ format: 'der', type: 'spki' });
  const usages = [KeyUsage.JWT_VALIDATION];
  return { publicKey: { kid, data, usages, format: KeyFormat.SUBJECT_PUBLIC_KEY_INFO } };
}

/** The JWT of a session. */
export function signSession(claims: object, kid = 'k1'): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const payload = Buffer.from(JSON.stringify({ exp: now + 3_600, z_st: 'Dial', ...claims }));
  return new CompactSign(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
}

/** A controller that does what a test says, and nothing else. */
export class ScriptedController {
  readonly listener: ControlListener;
  #peer: FramePeer | null = null;
  #sequence = 0;

  private constructor(listener: ControlListener) {
    this.listener = listener;
  }

  static async start(network: TestNetwork): Promise<ScriptedController> {
    return new ScriptedController(await ControlListener.start(network));
  }

  get address(): string {
    return this.listener.address;
  }

  get peer(): FramePeer {
    if (!this.#peer) throw new Error('no router has connected');
    return this.#peer;
  }

  /** Takes the next connection. Resolves to the hello. */
  async accept(): Promise<Frame> {
    this.#peer = await this.listener.accept();
    return this.peer.ofType(controlTypes.hello);
  }

  /** Accepts the next router, which is then online. Resolves to the hello. */
  async welcome(apiSessions: readonly NewApiSession[] = []): Promise<Frame> {
    const hello = await this.accept();
    this.answerHello();
    this.send(controlTypes.serverHello, ServerHelloSchema, { version: 'v1.7.2' });
    const state = { events: [keyEvent('k1')], endIndex: 1n, timelineId: 'timeline' };
    this.send(controlTypes.dataState, DataStateSchema, state);
    this.sendAll(apiSessions);
    return hello;
  }

  answerHello(changed: readonly (Header | number)[] = []): void {
    const all = new Map<number, Uint8Array>([
      [controlHeaders.replyFor, headerValue.i32(-1)],
      [controlHeaders.isSuccess, headerValue.boolean(true)],
      [controlHeaders.versionInfo, headerValue.text(versionInfo)],
      [controlHeaders.connectionId, headerValue.text('c1')],
      [controlHeaders.capabilities, Uint8Array.of(0x1e)],
    ]);
    for (const change of changed) {
      if (typeof change === 'number') all.delete(change);
      else all.set(...change);
    }
    this.peer.send({ type: controlTypes.result, sequence: -1, headers: all, body: none });
  }

  /** The full state of the API sessions. */
  sendAll(apiSessions: readonly NewApiSession[], state = JSON.stringify({ id: `c${Date.now()}`, isLast: true })): void {
    const headers: Header[] = [
      [controlHeaders.syncStrategy, headerValue.text('instant')],
      [controlHeaders.syncState, headerValue.text(state)],
    ];
    const message = { isFullState: true, apiSessions: [...apiSessions] };
    this.send(controlTypes.apiSessionAdded, ApiSessionAddedSchema, message, headers);
  }

  send<Schema extends DescMessage>(
    type: number,
    schema: Schema,
    message: MessageInitShape<Schema>,
    headers: readonly Header[] = [],
  ): void {
    this.sendBytes(type, encode(schema, message), headers);
  }

  sendBytes(type: number, body: Uint8Array = none, headers: readonly Header[] = []): number {
    this.#sequence += 1;
    this.peer.send({ type, sequence: this.#sequence, headers: new Map(headers), body });
    return this.#sequence;
  }

  reply(request: Frame, type: number, headers: readonly Header[] = [], body = none): void {
    this.sendBytes(type, body, [[controlHeaders.replyFor, headerValue.i32(request.sequence)], ...headers]);
  }

  succeed(request: Frame, isSuccess = true): void {
    this.reply(request, controlTypes.result, [[controlHeaders.isSuccess, headerValue.boolean(isSuccess)]]);
  }

  /** Takes the next message of this type. */
  async next<Schema extends DescMessage>(
    type: number,
    schema: Schema,
  ): Promise<{ readonly frame: Frame; readonly message: MessageShape<Schema> }> {
    const frame = await this.peer.ofType(type);
    return { frame, message: decode(schema, frame.body) };
  }

  close(): void {
    this.listener.close();
  }
}
