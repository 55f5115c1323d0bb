import type { Peers } from '../../storage/peers/peers.ts';
import { routerTopic } from '../../storage/peers/topics.ts';
import type { CircuitView, NetworkView } from './network-view.ts';
import type { RouterNetwork } from './router-network.ts';

/** What administrators see of the network: the links of all controllers, and the circuits that this one has made. */
export function createLiveNetwork(network: RouterNetwork, peers: Peers): NetworkView {
  const links = async () => {
    await network.refresh();
    return [...network.topology.links.all()];
  };
  const circuits = async (): Promise<readonly CircuitView[]> => [...network.circuits()];
  return {
    links,
    link: async (id) => (await links()).find((link) => link.id === id) ?? null,
    circuits,
    circuit: async (id) => (await circuits()).find((circuit) => circuit.id === id) ?? null,
    async removeLink(id) {
      const link = (await links()).find((one) => one.id === id);
      if (!link) return false;
      // Each controller informs its routers, and moves its circuits.
      await peers.publish(routerTopic, { kind: 'linkRemoved', id, iteration: link.iteration });
      return true;
    },
  };
}
