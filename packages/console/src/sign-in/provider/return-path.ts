/** Where a provider sends the browser back: `https://<controller>/console/signed-in` must be registered at it. */
export const returnPath = '/console/signed-in';

/** The channel on which the window that came back tells its address to the page that has opened it. */
export const returnChannel = 'edge-console-provider';
