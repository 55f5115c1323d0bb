// Ends many API sessions in each way while a Redis replica misses it, makes the replica the primary, and counts the
// sessions that are accepted again. Fails when there is one.
// Usage, in packages/server: node --conditions=source --no-warnings test/faults/fail-over.ts [sessions of each kind=1000]
import { failOver } from '../../support/fail-over.ts';
import { startTestPostgres } from '../../support/postgres.ts';

const count = Number(process.argv[2] ?? 1_000);
const postgres = await startTestPostgres();
try {
  const { outcomes, lives } = await failOver(postgres.url, count);
  for (const { end, ended, accepted } of outcomes) {
    process.stdout.write(`${end}: ${ended} ended, ${accepted} accepted after the fail-over\n`);
  }
  process.stdout.write(`a session that has not ended ${lives ? 'lives on' : 'is refused'}\n`);
  process.exitCode = lives && outcomes.every(({ accepted }) => accepted === 0) ? 0 : 1;
} finally {
  await postgres.stop();
}
