import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { shell } from './shell.ts';

export interface Packaging {
  readonly tarball: number;
  readonly unpacked: number;
  readonly files: number;
  readonly transitive: number;
  readonly warnings: number;
  readonly suggestions: number;
  /** Of the types, in all ways to resolve a module; and without the one of Node 10, which has no `exports`. */
  readonly typeProblems: number | null;
  readonly typeProblemsNow: number | null;
}

interface Tarball {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

interface TypeProblem {
  readonly resolutionKind?: string;
}

/** What a user gets: `spec` is a version in the registry or a tarball, and is installed in `directory` already. */
export async function packaging(directory: string, name: string, spec: string): Promise<Packaging> {
  const packed = JSON.parse(await shell(directory, ['npm', 'pack', spec, '--json'])) as
    | Tarball[]
    | Record<string, Tarball>;
  const [tarball] = Object.values(packed);
  if (!tarball) throw new Error(`npm packed nothing for ${spec}`);
  const folder = join(directory, 'node_modules', name);
  const { messages } = await publint({ pkgDir: folder, pack: false });
  const problems = typeProblems(directory, tarball.filename);
  return {
    ...{ tarball: tarball.size, unpacked: tarball.unpackedSize, files: tarball.entryCount },
    transitive: countPackages(join(directory, 'node_modules')) - 1,
    warnings: messages.filter(({ type }) => type !== 'suggestion').length,
    suggestions: messages.filter(({ type }) => type === 'suggestion').length,
    typeProblems: problems?.length ?? null,
    typeProblemsNow: problems?.filter(({ resolutionKind }) => resolutionKind !== 'node10').length ?? null,
  };
}

function typeProblems(directory: string, tarball: string): TypeProblem[] | null {
  // Into a file: attw ends before a pipe has taken a long report.
  const file = join(directory, 'attw.json');
  const output = openSync(file, 'w');
  spawnSync('attw', [tarball, '--format', 'json'], { cwd: directory, stdio: ['ignore', output, 'ignore'] });
  closeSync(output);
  const { analysis } = JSON.parse(readFileSync(file, 'utf8'));
  return analysis.types === false ? null : analysis.problems;
}

/** Installed packages, also those in the `node_modules` of others. */
function countPackages(folder: string): number {
  let count = 0;
  for (const name of readdirSync(folder).filter((entry) => !entry.startsWith('.'))) {
    const packages = name.startsWith('@') ? readdirSync(join(folder, name)).map((one) => join(name, one)) : [name];
    for (const one of packages) {
      const inner = readdirSync(join(folder, one)).includes('node_modules');
      count += 1 + (inner ? countPackages(join(folder, one, 'node_modules')) : 0);
    }
  }
  return count;
}
