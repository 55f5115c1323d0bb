import { authenticationMethods } from '@edge-controller/shared-types';
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { EventBus } from '../../core/events/bus.ts';
import type { ControllerEvents, EventName } from '../../core/events/events.ts';

interface EventCounter<P> {
  readonly name: string;
  readonly help: string;
  /** Its labels and their values. All values come from a fixed set. `null`: this one is not counted. */
  readonly labels: (payload: P) => Readonly<Record<string, string>> | null;
  /** Labels that are shown with 0 before anything has happened, so that a first rise can be seen. */
  readonly known?: readonly Readonly<Record<string, string>>[];
  /** All label names, in the order of the metric. */
  readonly labelNames: readonly string[];
}

const signIns = {
  name: 'edge_sign_ins_total',
  help: 'Sign-ins by primary method and outcome.',
  labelNames: ['method', 'outcome'],
  known: Object.keys(authenticationMethods).flatMap((method) =>
    ['success', 'failure'].map((outcome) => ({ method, outcome })),
  ),
};
const secondFactors = {
  name: 'edge_second_factors_total',
  help: 'Codes of second factors by outcome: accepted (and of which kind), wrong, exhausted.',
  labelNames: ['kind', 'outcome'],
  known: [
    ...['totp', 'recoveryCode'].map((kind) => ({ kind, outcome: 'accepted' })),
    ...['wrong', 'exhausted'].map((outcome) => ({ kind: 'any', outcome })),
  ],
};

const entityChanges: EventCounter<ControllerEvents['entity.updated']> = {
  name: 'edge_entity_changes_total',
  help: 'Changes of entities by their type and kind.',
  labelNames: ['entity', 'change'],
  labels: ({ entityType, eventType }) => ({ entity: entityType, change: eventType }),
};

/** Event → the counter that it raises. Two events may raise the same one. */
const counters: { readonly [N in EventName]?: EventCounter<ControllerEvents[N]> } = {
  'authentication.succeeded': { ...signIns, labels: ({ method }) => ({ method, outcome: 'success' }) },
  'authentication.failed': { ...signIns, labels: ({ method }) => ({ method, outcome: 'failure' }) },
  'authQuery.answered': { ...secondFactors, labels: ({ kind }) => ({ kind, outcome: 'accepted' }) },
  'mfaCode.refused': { ...secondFactors, labels: ({ reason }) => ({ kind: 'any', outcome: reason }) },
  'mfa.enrolled': {
    name: 'edge_mfa_enrollments_total',
    help: 'Second factors that were enrolled and verified.',
    labelNames: [],
    labels: () => ({}),
  },
  'mfa.removed': {
    name: 'edge_mfa_removals_total',
    help: 'Second factors that were removed, by whom.',
    labelNames: ['by'],
    labels: ({ by }) => ({ by }),
  },
  'identity.locked': {
    name: 'edge_identity_locks_total',
    help: 'Identities that too many wrong passwords have locked.',
    labelNames: [],
    labels: () => ({}),
  },
  'permission.denied': {
    name: 'edge_permission_denials_total',
    help: 'Requests of identities that lack a right.',
    labelNames: [],
    labels: () => ({}),
    known: [{}],
  },
  'request.limited': {
    name: 'edge_requests_limited_total',
    help: 'Requests that got 429, by the code of their error.',
    labelNames: ['code'],
    labels: ({ code }) => ({ code }),
  },
  'connection.refused': {
    name: 'edge_connections_refused_total',
    help: 'Connections that ended because of broken HTTP or TLS.',
    labelNames: ['protocol'],
    labels: ({ protocol }) => ({ protocol }),
    known: [{ protocol: 'http' }, { protocol: 'tls' }],
  },
  'password.changed': {
    name: 'edge_password_changes_total',
    help: 'Passwords that were replaced, by whom.',
    labelNames: ['by'],
    labels: ({ by }) => ({ by }),
  },
  'externalJwt.refused': {
    name: 'edge_external_jwt_refusals_total',
    help: 'JWTs of external signers that were refused, by their use and the check.',
    labelNames: ['use', 'check'],
    labels: ({ use, check }) => ({ use, check }),
  },
  'apiSession.ended': {
    name: 'edge_api_session_removals_total',
    help: 'Single API sessions that a request has removed, by whom.',
    labelNames: ['by'],
    labels: ({ by }) => (by === 'timeout' ? null : { by }),
  },
  'session.created': {
    name: 'edge_service_sessions_created_total',
    help: 'Sessions of services that were opened, by their type.',
    labelNames: ['type'],
    labels: ({ type }) => ({ type }),
  },
  'session.ended': {
    name: 'edge_service_sessions_removed_total',
    help: 'Sessions of services that ended before their API session.',
    labelNames: ['type', 'by'],
    labels: ({ type, by }) => ({ type, by }),
  },
  'enrollment.redeemed': {
    name: 'edge_enrollments_total',
    help: 'Enrollments of identities by their method.',
    labelNames: ['method'],
    labels: ({ method }) => ({ method }),
  },
  'router.enrolled': {
    name: 'edge_router_enrollments_total',
    help: 'Enrollments of routers by their method.',
    labelNames: ['method'],
    labels: ({ method }) => ({ method }),
  },
  'entity.created': entityChanges,
  'entity.updated': entityChanges,
  'entity.deleted': entityChanges,
  'controller.settingsReloaded': {
    name: 'edge_settings_reloads_total',
    help: 'How often the settings were read again.',
    labelNames: [],
    labels: () => ({}),
  },
  'controller.certificateChanged': {
    name: 'edge_server_certificate_changes_total',
    help: 'How often the server certificate was replaced.',
    labelNames: [],
    labels: () => ({}),
  },
};

/** Counts what happens in the controller. */
export function countEvents(registry: Registry, events: EventBus): void {
  const created = new Map<string, Counter>();
  for (const event of Object.keys(counters) as EventName[]) count(event);

  function count<N extends EventName>(event: N): void {
    const counter = counters[event];
    if (!counter) return;
    const { name, help, labelNames, labels, known = [] } = counter;
    const metric = created.get(name) ?? new Counter({ name, help, labelNames, registers: [registry] });
    created.set(name, metric);
    for (const values of known) metric.inc(values, 0);
    events.on(event, (payload) => {
      const values = labels(payload);
      if (values) metric.inc(values);
    });
  }
}
