// Asks the registry for known vulnerabilities of the dependencies. Ends with 0: there are none. 1: there are some.
// 3: the registry has given no answer, so nothing is known.
import { pnpmVersion, run } from './bootstrap.mjs';

// What users install, and what is in our files. Of the tools that only build and test, what is at least high.
const scopes = [['--prod'], ['--audit-level', 'high']];
let code = 0;
for (const scope of scopes) {
  const done = await run('npx', ['-y', pnpmVersion(), 'audit', ...scope]);
  process.stdout.write(done.output);
  if (done.code === 0) continue;
  if (!done.output.includes('ERR_PNPM_AUDIT_BAD_RESPONSE')) process.exit(1);
  code = 3;
}
if (code === 3)
  console.error('The registry has given no answer: whether dependencies have known vulnerabilities is NOT known.');
process.exit(code);
