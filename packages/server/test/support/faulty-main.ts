// The executable with a defect: an error that nobody handles. `EDGE_TEST_DEFECT` says which, SIGUSR2 says when.
const defects: Readonly<Record<string, () => void>> = {
  exception() {
    throw defect();
  },
  rejection: () => void Promise.reject(defect()),
  'rejection without an error': () => void Promise.reject({ password: 'a secret of the process' }),
};

function defect(): Error {
  return Object.assign(new Error('a defect'), { query: 'a secret of the process' });
}

process.on('SIGUSR2', () => defects[process.env.EDGE_TEST_DEFECT ?? '']?.());
await import('../../src/main.ts');
