import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import workerd from 'workerd';

interface WorkerOptions {
  /** The module of the worker, with all that it imports. */
  readonly code: string;
  /** The settings that its handlers get. Default: none. */
  readonly settings?: Readonly<Record<string, string>>;
  /** PEM certificates of the CAs that its `fetch` trusts. Default: none. */
  readonly ca?: string;
}

/** Runs a worker in `workerd`, the runtime of Cloudflare, on a free port. */
export async function startWorker({ code, settings = {}, ca }: WorkerOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'edge-worker-'));
  writeFileSync(join(folder, 'worker.js'), code);
  writeFileSync(join(folder, 'config.capnp'), configOf(settings, ca));
  const worker = spawn(workerd, ['serve', 'config.capnp', '--control-fd=3'], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  });
  const log: string[] = [];
  for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', (chunk) => log.push(String(chunk)));
  const end = async () => {
    worker.kill('SIGKILL');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    rmSync(folder, { recursive: true });
  };
  for await (const line of createInterface({ input: worker.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line) as { event: string; port?: number };
    if (event !== 'listen' || port === undefined) continue;
    return { url: `http://127.0.0.1:${port}`, log, [Symbol.asyncDispose]: end };
  }
  await end();
  throw new Error(`workerd did not start\n${log.join('')}`);
}

/** A text with quotes in JSON is one in this language. */
function configOf(settings: Readonly<Record<string, string>>, ca: string | undefined): string {
  const bindings = Object.entries(settings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
      bindings = [${bindings.join(', ')}],
      globalOutbound = "network",
    )),
    (name = "network", network = (
      allow = ["private"],
      tlsOptions = (trustedCertificates = [${ca === undefined ? '' : JSON.stringify(ca)}]),
    )),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`;
}
