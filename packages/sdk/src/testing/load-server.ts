type Server = typeof import('@edge-controller/server');

const missing =
  'startTestController needs the package @edge-controller/server: npm install --save-dev @edge-controller/server';

let loading: Promise<Server> | null = null;

/** @throws Error that says what to install when the package is missing */
export function loadServer(): Promise<Server> {
  loading ??= import('@edge-controller/server').catch((cause: unknown) => {
    throw cause instanceof Error && cause.message.includes("'@edge-controller/server'")
      ? new Error(missing, { cause })
      : cause;
  });
  return loading;
}
