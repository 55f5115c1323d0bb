type Server = typeof import('@edge-controller/server');

const missing =
  'startTestController needs the package @edge-controller/server: npm install --save-dev @edge-controller/server';

/** The oldest Node that the controller runs in. */
export const oldestNode = '24.13';

let loading: Promise<Server> | null = null;

/** Loaded by `startRouter`, because most tests need none. */
export const loadRouterDouble = () => import('@edge-controller/server/router-double');

/** @throws Error that says what to install when the package is missing or Node is too old */
export async function loadServer(): Promise<Server> {
  // The databases of the controller are compiled for its Node. In an older one they end the process.
  if (isOlder(process.versions.node, oldestNode)) {
    throw new Error(`startTestController needs Node ${oldestNode} or newer; this is Node ${process.versions.node}`);
  }
  loading ??= import('@edge-controller/server').catch((cause: unknown) => {
    throw cause instanceof Error && cause.message.includes("'@edge-controller/server'")
      ? new Error(missing, { cause })
      : cause;
  });
  return loading;
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
