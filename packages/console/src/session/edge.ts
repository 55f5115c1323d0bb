import { createEdgeClient } from '@edge-controller/sdk';
import { askForStepUp } from './step-ups.ts';
import { createTokenPlace } from './token-place.ts';

export const tokenPlace = createTokenPlace();

/** The client of this page. The controller that serves the page is the one that it manages. */
export const edge = createEdgeClient(location.origin, { storage: tokenPlace, onStepUp: askForStepUp });
