import { filter } from '@edge-controller/sdk';
import { localTime } from '../../entities/form/draft.ts';

/** The fields of the form. Empty: any. */
export interface AuditFields {
  readonly event: string;
  readonly outcome: string;
  /** Who acted, or whom it concerns. */
  readonly identityId: string;
  readonly entityId: string;
  /** As `datetime-local` has it: `2026-01-02T15:04`, in the zone of the browser. */
  readonly from: string;
  readonly until: string;
}

export const noFields: AuditFields = { event: '', outcome: '', identityId: '', entityId: '', from: '', until: '' };

/** The filter expression that the fields make. Empty: everything. */
export function expressionOf({ event, outcome, identityId, entityId, from, until }: AuditFields): string {
  return [
    event && filter`event = ${event}`,
    outcome && filter`outcome = ${outcome}`,
    identityId && filter`(identityId = ${identityId} or entityId = ${identityId})`,
    entityId && filter`entityId = ${entityId}`,
    isTime(from) && filter`createdAt >= ${new Date(from)}`,
    isTime(until) && filter`createdAt < ${new Date(until)}`,
  ]
    .filter((part) => part !== '' && part !== false)
    .join(' and ');
}

/** The fields that make the filter expression, or none: an expression may say what no fields can. */
export function fieldsOf(expression: string): AuditFields {
  const conditions = conditionsOf(expression);
  const fields = Object.assign({}, noFields, ...conditions.map(fieldOf));
  const isWhole = conditionsOf(expressionOf(fields)).toSorted().join() === conditions.toSorted().join();
  return isWhole ? fields : noFields;
}

const conditionsOf = (expression: string) => expression.split(' and ').map((condition) => condition.trim());

function fieldOf(condition: string): Partial<AuditFields> {
  const [, identityId] = /^\(identityId = "([^"]*)" or entityId = "\1"\)$/.exec(condition) ?? [];
  if (identityId !== undefined) return { identityId };
  const [, name = '', text] = /^(event|outcome|entityId) = "([^"]*)"$/.exec(condition) ?? [];
  if (text !== undefined) return { [name]: text };
  const [, operator, time] = /^createdAt (>=|<) datetime\((.+)\)$/.exec(condition) ?? [];
  if (time === undefined) return {};
  return { [operator === '<' ? 'until' : 'from']: localTime(time) };
}

/** Both conditions. An expression of a person may have `or`. */
export function bothOf(first: string, second: string): string {
  return first.trim() === '' ? second : `(${first}) and ${second}`;
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
