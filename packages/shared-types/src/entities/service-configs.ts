import { assignment } from '../assignment.ts';

/** The config that an identity has for a service, instead of the config of the service of the same type. */
export const serviceConfigs = assignment({
  noun: 'serviceConfig',
  members: { serviceId: 'services', configId: 'configs' },
  value: 'configId',
  onePer: 'configTypeId',
});
