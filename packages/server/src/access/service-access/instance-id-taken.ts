import { ApiError } from '../../core/api-error.ts';

/** 400: somebody else has the instance id at this service. */
export class InstanceIdTaken extends ApiError {
  /** The ids of the terminators of the others. */
  readonly holders: readonly string[];

  constructor(instanceId: string, holders: readonly string[]) {
    const reason = `the instance id is that of another host: see terminator ${holders[0]}`;
    super('COULD_NOT_VALIDATE', { cause: { field: 'identity', reason, value: instanceId } });
    this.holders = holders;
  }
}
