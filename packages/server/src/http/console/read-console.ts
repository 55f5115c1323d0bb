import { opendir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { StartError } from '../../core/start/start-error.ts';
import { ConsoleFile } from './console-file.ts';
import { contentSecurityPolicy, cspFile } from './content-security-policy.ts';

/** The files of the web console. */
export interface ConsoleFiles {
  /** Path in a URL → file. */
  readonly byPath: ReadonlyMap<string, ConsoleFile>;
  readonly index: ConsoleFile;
  readonly policy: string;
}

/** Where the console is served. */
export const base = '/console/';

/** Below it, a name has a hash of the content. */
const assets = 'assets/';
const maxFiles = 1_000;
const maxBytes = 32 * 1_048_576;
const policyFile = 'csp.json';

/**
 * Reads the console. Files whose name begins with a dot, and links, are left out.
 *
 * @returns `null` when there is no `index.html`
 * @throws StartError when there are too many files or bytes, or `csp.json` cannot be used
 */
export async function readConsole(dir: string): Promise<ConsoleFiles | null> {
  const contents = await readFiles(dir);
  const indexHtml = contents.get('index.html');
  if (indexHtml === undefined) return null;
  const policy = contentSecurityPolicy(indexHtml.toString('utf8'), addedStyles(contents.get(policyFile), dir));
  contents.delete(policyFile);
  const files = [...contents].map(([name, bytes]): [string, ConsoleFile] => {
    const path = base + name.split('/').map(encodeURIComponent).join('/');
    return [path, new ConsoleFile(name, bytes, { isImmutable: name.startsWith(assets) })];
  });
  const byPath = new Map(files);
  const index = byPath.get(`${base}index.html`);
  return index === undefined ? null : { byPath, index, policy };
}

/** Path below the directory, with `/` → content. */
async function readFiles(dir: string): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  let left = maxBytes;
  for await (const path of filesBelow(dir)) {
    left -= (await stat(path)).size;
    if (contents.size >= maxFiles || left < 0) {
      throw unusable(`${dir} has more than ${maxFiles} files or ${maxBytes} bytes`);
    }
    contents.set(relative(dir, path).split(sep).join('/'), await readFile(path));
  }
  return contents;
}

async function* filesBelow(dir: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(dir, { recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      const isHidden = relative(dir, path)
        .split(sep)
        .some((name) => name.startsWith('.'));
      if (entry.isFile() && !isHidden) yield path;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw unusable(`${dir} cannot be read (${code})`, error);
  }
}

function addedStyles(json: Buffer | undefined, dir: string): readonly string[] {
  if (json === undefined) return [];
  try {
    return cspFile.parse(JSON.parse(json.toString('utf8'))).styles;
  } catch (error) {
    throw unusable(`${join(dir, policyFile)} is not {"styles": ["sha256-…"]}`, error);
  }
}

function unusable(reason: string, cause?: unknown): StartError {
  const message = `the files of the web console cannot be used: ${reason}`;
  const fix = 'build the console again, or set EDGE_CONSOLE to false';
  return new StartError([{ message, setting: null, fix, kind: 'wrong' }], { cause });
}
