import type { HealthCheck } from './health.ts';

/** The response to `/health-checks`, as existing tools read it. A duration has the form of Go: `1.5ms`. */
export function healthChecksBody(checks: readonly HealthCheck[]): { isHealthy: boolean; body: string } {
  const isHealthy = checks.every(({ healthy }) => healthy);
  const shown = checks.map(({ id, healthy, at, duration }) => ({
    healthy,
    id,
    lastCheckDuration: `${Number(duration.toFixed(3))}ms`,
    lastCheckTime: new Date(at).toISOString(),
  }));
  return { isHealthy, body: `${JSON.stringify({ data: { checks: shown, healthy: isHealthy }, meta: {} })}\n` };
}
