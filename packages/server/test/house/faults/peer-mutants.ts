import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const seal = 'storage/peers/peer-seal.ts';
const tests = ['peers.test'];

/** Each believes what somebody writes into Redis. */
export const peerMutants: readonly SignInMutant[] = [
  {
    mutant: 'takes what has any seal for that of a controller',
    mutations: change(
      seal,
      '!sealer.isSignature(seal, sealed(place, text.slice(seal.length + 1)))',
      'sealed(place, text) === seal',
    ),
    tests,
  },
  {
    mutant: 'takes what a controller has said at another place',
    mutations: change(
      seal,
      'const sealed = (place: string, content: string) =>',
      "const sealed = (_: string, content: string, place = '') =>",
    ),
    tests,
  },
  {
    mutant: 'takes a state for that of another controller',
    mutations: [
      ...change(
        seal,
        'const sealed = (place: string, content: string) =>',
        "const sealed = (_: string, content: string, place = '') =>",
      ),
      ...change('storage/peers/shown-states.ts', 'if (said?.from !== peerId)', 'if (!said)'),
    ],
    tests,
    cases: /a state is shown only by its controller/,
  },
  {
    mutant: 'takes a message as often as somebody repeats it',
    mutations: change(
      'storage/peers/received-messages.ts',
      ' || numbers.received.has(number)) return false;',
      ') return false;',
    ),
    tests,
  },
  {
    mutant: 'takes an old message for a new one',
    mutations: change(
      'storage/peers/redis-peers.ts',
      'Math.abs(this.#options.clock() - said.at) <= maxClockDifference',
      'true',
    ),
    tests,
  },
];
