import { parentPort } from 'node:worker_threads';
import type { Question } from './schema-checks.ts';
import { SchemaChecks } from './schema-checks.ts';

// A program of its own: `schema-thread.ts` starts it.
const checks = new SchemaChecks();

parentPort?.on('message', (question: Question) => {
  const startedAt = performance.now();
  const verdict = checks.answer(question);
  parentPort?.postMessage({ verdict, time: performance.now() - startedAt });
});
