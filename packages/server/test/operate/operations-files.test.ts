import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { readPromql } from '../support/promql.ts';

const read = (name: string) => readFileSync(new URL(`../../../../operations/${name}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const { groups } = parse(read('prometheus-alerts.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
/** Grafana puts a duration in its place. */
const filled = (expression: string) => expression.replaceAll('$__rate_interval', '5m');
const expressions = [
  ...rules.map(({ alert, expr }) => ({ place: alert, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ place: title, expr: filled(expr) }))),
];

let server: TestController;
/** The names of the samples of a controller → their labels. */
const samples = new Map<string, Set<string>>();

beforeAll(async () => {
  server = await startController({ operationsBind: '127.0.0.1:0', auditPushUrl: 'http://127.0.0.1:9/v1/logs' });
  await server.signIn();
  await server.wire('GET', '/no-such-path');
  // A metric shows its labels when something was counted.
  const { events } = server.controller;
  const ids = { identityId: 'i', apiSessionId: 'a' };
  events.emit('apiSession.ended', { ...ids, by: 'owner' });
  events.emit('enrollment.redeemed', { identityId: 'i', enrollmentId: null, method: 'ott' });
  events.emit('externalJwt.refused', { use: 'primary', check: 'issuer', signerId: null });
  events.emit('router.enrolled', { routerId: 'r', method: 'erott' });
  const session = { ...ids, sessionId: 's', serviceId: 'v', type: 'Dial' } as const;
  events.emit('session.created', session);
  events.emit('session.ended', { ...session, by: 'controller' });
  const text = await (await fetch(`${server.operationsUrl}/metrics`)).text();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? /gm)) {
    const known = samples.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    samples.set(name, known);
  }
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) histogram$/gm)) {
    for (const suffix of ['_bucket', '_sum', '_count'])
      samples.set(name + suffix, samples.get(name + suffix) ?? new Set());
  }
  // Prometheus adds these itself.
  samples.set('up', new Set());
});
afterAll(() => server[Symbol.asyncDispose]());

describe('the expressions of the alert rules and of the dashboard', () => {
  it.each(expressions)('$place: $expr', ({ expr }) => {
    const { mistake, metrics, labels } = readPromql(expr);
    expect(mistake).toBeNull();
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !samples.has(name))).toEqual([]);
    const known = new Set(['job', 'instance', 'le', ...metrics.flatMap((name) => [...(samples.get(name) ?? [])])]);
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });
});

it('an expression with a mistake, or with a metric that does not exist, is found', () => {
  expect(readPromql('sum by (a (rate(b[5m]))').mistake).not.toBeNull();
  expect(readPromql('rate(b{c="d"}[5m]) + e')).toEqual({ mistake: null, metrics: ['b', 'e'], labels: ['c'] });
});

describe('the alert rules', () => {
  it('have names of their own, a severity, and say what has happened and what to do', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, ...rule } of rules) {
      expect(alert).toMatch(/^Edge[A-Z]\w+$/);
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.description, alert).toMatch(/^[A-Z].*\.$/);
      expect(rule.for ?? '1m', alert).toMatch(/^\d+[mh]$/);
    }
  });

  it('show only labels that their expression leaves', () => {
    const wrong = rules.flatMap(({ alert, expr, annotations }) => {
      const [, grouped] = /by \(([^)]*)\)/.exec(expr) ?? [];
      const left = grouped?.split(/,\s*/);
      const shown = Array.from(annotations.summary.matchAll(/\$labels\.(\w+)/g), ([, label = '']) => label);
      return left ? shown.filter((label) => !left.includes(label)).map((label) => `${alert}: ${label}`) : [];
    });
    expect(wrong).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('has panels that say what they show and do not overlap', () => {
    expect(panels.length).toBeGreaterThanOrEqual(20);
    const taken = new Set<string>();
    for (const { title, description, gridPos } of panels) {
      expect(description, title).toMatch(/\.$/);
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`), `${title} overlaps another panel`).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });

  it('uses only variables that it has', () => {
    const names = dashboard.templating.list.map(({ name }) => name);
    const used = Array.from(read('grafana-dashboard.json').matchAll(/\$\{?(\w+)/g), ([, name = '']) => name);
    expect(new Set(used.filter((name) => !name.startsWith('__')))).toEqual(new Set(names));
  });
});
