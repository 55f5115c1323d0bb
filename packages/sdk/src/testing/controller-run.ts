import type { Controller } from '@edge-controller/server';

/** Milliseconds that requests may take when the controller restarts. */
const restartDrain = 100;

interface RunParts {
  /** Creates a controller, which does not listen yet. */
  readonly create: (ports: Ports) => Promise<Controller>;
  readonly removeData: () => Promise<void>;
}

/** `routersPort`: that of the listener for routers. `null`: what the settings say. */
interface Ports {
  readonly port: number;
  readonly routersPort: number | null;
}

interface Listening extends Ports {
  readonly controller: Controller;
  readonly url: string;
}

/** A controller that runs in this process. It restarts at the same port, and stops once. */
export class ControllerRun {
  readonly #parts: RunParts;
  readonly #stops: (() => Promise<void>)[] = [];
  #running: Listening;
  #isStopped = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(parts: RunParts, running: Listening) {
    this.#parts = parts;
    this.#running = running;
  }

  static async start(port: number, parts: RunParts): Promise<ControllerRun> {
    return new ControllerRun(parts, await listen({ port, routersPort: null }, parts));
  }

  current(): Listening {
    return this.#running;
  }

  /** Runs before the controller stops. */
  onStop(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  async restart(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isStopped) throw new Error('the test controller was stopped');
      await this.#running.controller.close(restartDrain);
      this.#running = await listen(this.#running, this.#parts);
    });
  }

  async stop(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isStopped) return;
      this.#isStopped = true;
      await Promise.all(this.#stops.splice(0).map((each) => each()));
      await this.#running.controller.close(0);
      await this.#parts.removeData();
    });
  }

  /** A restart and the disposal at the same time run one after the other. */
  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

async function listen({ port, routersPort }: Ports, { create }: RunParts): Promise<Listening> {
  const controller = await create({ port, routersPort });
  try {
    return { controller, ...(await controller.listen()) };
  } catch (error) {
    await controller.close(0);
    throw error;
  }
}
