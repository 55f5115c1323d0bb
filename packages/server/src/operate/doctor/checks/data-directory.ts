import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from '../../../core/start/file-problem.ts';
import { keyFiles } from '../../../pki/pki.ts';
import { sealKeyFile } from '../../backup/manifest.ts';
import type { DoctorCheck, DoctorFinding } from '../finding.ts';
import { unusable, warning } from '../finding.ts';

const othersCanUse = 0o077;
const privateFiles = ['entities.db', 'sessions.db', sealKeyFile, ...keyFiles.map((name) => join('pki', name))];

/** The data directory can be used, and by its owner alone. */
export const dataDirectory: DoctorCheck = async ({ dataDir }) => {
  try {
    const info = await stat(dataDir);
    if (!info.isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const exposed = await exposedFiles(dataDir);
    // Windows has no modes.
    if (process.platform === 'win32' || (info.mode & othersCanUse) === 0) return exposed;
    const message = `Other users can use the data directory ${dataDir}`;
    return [warning(message, 'dataDir', `chmod 700 ${dataDir}`), ...exposed];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      const message = `The data directory ${dataDir} does not exist: the next start creates it, with a new PKI and a new key`;
      return [warning(message, 'dataDir', 'correct EDGE_DATA_DIR, or run edge-controller init')];
    }
    const problem = fileProblem(dataDir, error);
    if (!problem) throw error;
    return [unusable(problem.message, 'dataDir', problem.fix)];
  }
};

async function exposedFiles(dataDir: string): Promise<readonly DoctorFinding[]> {
  if (process.platform === 'win32') return [];
  const findings = await Promise.all(privateFiles.map((name) => exposedFile(join(dataDir, name))));
  return findings.flat();
}

async function exposedFile(path: string): Promise<readonly DoctorFinding[]> {
  const info = await stat(path).catch(() => null);
  if (!info || (info.mode & othersCanUse) === 0) return [];
  return [warning(`Other users can read or write ${path}`, 'dataDir', `chmod 600 ${path}`)];
}
