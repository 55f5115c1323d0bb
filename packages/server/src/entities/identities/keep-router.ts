import { ApiError, invalidField } from '../../core/api-error.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';

type Identity = EntityState<FieldsOf<'identities'>>;

/**
 * The identity of a router has the type and the name of a router for as long as it exists.
 *
 * @throws 400 when a request would change that, or make a router of another identity
 */
export function keepRouter(
  { verb, body }: Pick<ProposedChange, 'verb' | 'body'>,
  next: Identity,
  previous: Identity,
): void {
  const isRouter = previous.typeId === 'Router';
  if (verb === 'update' && isRouter !== (body.type === 'Router')) {
    const reason = isRouter ? 'may not change type of router identities' : 'may not change type to router';
    throw invalidField('typeId', reason, String(body.type));
  }
  if (isRouter && verb !== 'set' && next.name !== previous.name) {
    throw invalidField('name', 'may not change name of router identities', next.name);
  }
}

/** The error for the deletion of the identity of a router. */
export function routerExists(name: string): ApiError {
  const message = `cannot delete router identity ${name} until associated router is deleted`;
  return new ApiError('ENTITY_CAN_NOT_BE_DELETED', { cause: { code: 'UNHANDLED', message } });
}
