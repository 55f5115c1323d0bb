import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** The controllers of the run share what Node has compiled. */
export default function setup(project: TestProject): () => void {
  const compileCache = mkdtempSync(join(tmpdir(), 'edge-compile-cache-'));
  project.provide('compileCache', compileCache);
  return () => rmSync(compileCache, { recursive: true, force: true });
}
