import type { OperationEntry, ResourceEntry, Row } from '@edge-controller/operation-tables';
import { useBodyFields } from '../../api/tables.ts';
import { isSecretName } from '../form/field-kind.ts';
import { EntityMembers, isOwnMember } from './members.tsx';

interface EntityFieldsProps {
  readonly entry: ResourceEntry;
  readonly entity: Row;
}

const noBody: OperationEntry = { summary: '', method: 'GET', access: 'full', result: 'empty' };

/** The fields of an entity. Secrets are never shown. */
export function EntityFields({ entry: { verbs }, entity }: EntityFieldsProps) {
  const fields = useBodyFields(verbs.create ?? verbs.update ?? verbs.patch ?? noBody);
  return <EntityMembers row={entity} fields={fields} isShown={isShown} />;
}

const isShown = (name: string, row: Row) => name !== 'id' && !isSecretName(name) && isOwnMember(name, row);
