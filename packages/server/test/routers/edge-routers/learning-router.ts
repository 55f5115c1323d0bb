import type { RouterIdentity } from '@edge-controller/router-double';
import {
  ApiSessionAddedSchema,
  ApiSessionHeartbeatSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
  decode,
  encode,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import { RawRouter } from './raw-router.ts';

/** A router that keeps all that it is told of API sessions. */
export class LearningRouter {
  readonly raw: RawRouter;
  /** The tokens that it knows now. */
  readonly tokens = new Set<string>();
  /** All that it was ever told. */
  readonly learned = new Set<string>();
  /** Those of the full state whose parts come. */
  #parts = new Set<string>();
  #onFullState: (() => void) | null = null;

  private constructor(raw: RawRouter) {
    this.raw = raw;
    const answer = raw.peer.onFrame;
    raw.peer.onFrame = (frame) => this.#receive(frame) || answer?.(frame) === true;
  }

  /** Connects, and learns what lives. */
  static async connect(
    controller: Pick<TestController, 'routersAddress'>,
    identity: RouterIdentity,
  ): Promise<LearningRouter> {
    const raw = await RawRouter.open(controller, identity);
    const router = new LearningRouter(raw);
    await router.#fullState(async () => raw.sayClientHello(await raw.peer.ofType(controlTypes.serverHello)));
    return router;
  }

  /** Asks for all API sessions, and forgets the others. */
  resync(): Promise<void> {
    return this.#fullState(() => void this.raw.send(controlTypes.requestClientResync));
  }

  /** Says that applications with these tokens are connected. */
  async beat(...tokens: readonly string[]): Promise<void> {
    this.raw.send(controlTypes.apiSessionHeartbeat, {
      body: encode(ApiSessionHeartbeatSchema, { tokens: [...tokens] }),
    });
    await this.raw.settled();
  }

  async #fullState(ask: () => Promise<void> | void): Promise<void> {
    const came = new Promise<void>((resolve) => {
      this.#onFullState = resolve;
    });
    await ask();
    await came;
  }

  #receive({ type, body, headers }: Frame): boolean {
    if (type === controlTypes.apiSessionAdded) {
      const { isFullState, apiSessions } = decode(ApiSessionAddedSchema, body);
      const { isLast } = JSON.parse(readHeader.text(headers.get(controlHeaders.syncState)) ?? '{}');
      for (const { token } of apiSessions) this.#learn(token);
      if (!isFullState) return true;
      for (const { token } of apiSessions) this.#parts.add(token);
      if (isLast) this.#endFullState();
    } else if (type === controlTypes.apiSessionUpdated) {
      for (const { token } of decode(ApiSessionUpdatedSchema, body).apiSessions) this.#learn(token);
    } else if (type === controlTypes.apiSessionRemoved) {
      for (const token of decode(ApiSessionRemovedSchema, body).tokens) this.tokens.delete(token);
    } else return false;
    return true;
  }

  #learn(token: string): void {
    this.tokens.add(token);
    this.learned.add(token);
  }

  #endFullState(): void {
    for (const token of this.tokens) if (!this.#parts.has(token)) this.tokens.delete(token);
    this.#parts = new Set();
    this.#onFullState?.();
  }
}
