import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadServer } from './load-server.ts';
import { passwordCost } from './password-cost.ts';

/** The data of a controller that has never been used. */
export interface PreparedData {
  readonly adminPassword: string;
  /** Fills an empty directory. */
  writeTo(directory: string): Promise<void>;
}

let preparing: Promise<PreparedData> | null = null;

/**
 * Makes keys, certificates and databases once in this process and keeps them in memory: they take three quarters of a
 * first start. The new controllers of the process begin with copies.
 */
export function prepareData(): Promise<PreparedData> {
  preparing ??= prepare();
  return preparing;
}

async function prepare(): Promise<PreparedData> {
  const { createController } = await loadServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'edge-test-'));
  const adminPassword = randomUUID();
  try {
    const controller = await createController({ dataDir, adminPassword, passwordCost, logLevel: 'silent' });
    await controller.close();
    const files = await readFiles(dataDir);
    return {
      adminPassword,
      async writeTo(directory) {
        for (const [path, content] of files) {
          const file = join(directory, path);
          await mkdir(dirname(file), { recursive: true, mode: 0o700 });
          await writeFile(file, content, { mode: 0o600 });
        }
      },
    };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function readFiles(directory: string): Promise<readonly (readonly [path: string, content: Buffer])[]> {
  const paths = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = paths.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (file) => [file.slice(directory.length + 1), await readFile(file)] as const));
}
