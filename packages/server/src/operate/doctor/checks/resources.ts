import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { DoctorCheck, DoctorFinding, Installation } from '../finding.ts';
import { unusable, warning } from '../finding.ts';

const mebibyte = 2 ** 20;
/** MiB: code and data of the process, and what V8 keeps for new objects. */
const processSize = 300;
/** MiB that a password hash takes. */
const hashSize = 19;
/** MiB. */
const least = { heap: 128, disk: 64, comfortableDisk: 512, fileSize: 1_024 };
/** An open file for each connection. */
const leastFiles = 1_024;

/** Memory, open files and disk space. */
export const resources: DoctorCheck = async (installation) => [
  ...memory(installation),
  ...(await limits()),
  ...(await diskSpace(installation)),
];

function memory({ settings }: Installation): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const heap = Math.floor(getHeapStatistics().heap_size_limit / mebibyte);
  if (heap < least.heap) {
    const message = `Node may use only ${heap} MiB for objects`;
    const fix = 'raise --max-old-space-size in NODE_OPTIONS, or the memory limit of the container, to 256 MiB or more';
    findings.push(warning(message, null, fix));
  }
  const hashes = settings.hashConcurrency || availableParallelism();
  const needed = processSize + hashes * hashSize;
  const limit = Math.floor(Math.min(totalmem(), process.constrainedMemory() || totalmem()) / mebibyte);
  if (needed > limit) {
    const message = `The controller may need ${needed} MiB with ${hashes} password hashes at once, and there are ${limit} MiB`;
    findings.push(warning(message, 'hashConcurrency', 'give it more memory, or lower EDGE_HASH_CONCURRENCY'));
  }
  return findings;
}

/** Only Linux shows them. */
async function limits(): Promise<readonly DoctorFinding[]> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const softLimit = (name: string) =>
    Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  const findings: DoctorFinding[] = [];
  const files = softLimit('Max open files');
  if (files < leastFiles) {
    const message = `The process may open ${files} files, and each connection is one`;
    const fix = `raise the limit to ${leastFiles} or more (ulimit -n, LimitNOFILE in systemd)`;
    findings.push(warning(message, null, fix));
  }
  const size = Math.floor(softLimit('Max file size') / mebibyte);
  if (size < least.fileSize) {
    const message = `A file of the process may have ${size} MiB at most`;
    findings.push(unusable(message, null, 'remove the limit (ulimit -f, LimitFSIZE in systemd)'));
  }
  return findings;
}

async function diskSpace({ dataDir }: Installation): Promise<readonly DoctorFinding[]> {
  const info = await statfs(dataDir)
    .catch(() => statfs(dirname(dataDir)))
    .catch(() => null);
  if (!info) return [];
  const free = Math.floor((info.bavail * info.bsize) / mebibyte);
  const message = `The disk of the data directory has ${free} MiB left`;
  const fix = 'free space, or move the data directory to another disk';
  if (free < least.disk) return [unusable(message, 'dataDir', fix)];
  return free < least.comfortableDisk ? [warning(message, 'dataDir', fix)] : [];
}
