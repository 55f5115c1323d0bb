import { isEdgeApiError } from '@edge-controller/sdk';
import { QueryClient } from '@tanstack/react-query';

/** Milliseconds for which a page that is opened again shows what it had without a question. */
const staleTime = 5_000;
const maxRetries = 2;

/** What the controller has refused it refuses again, so only what did not reach it is asked again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime,
        retry: (failures, error) => failures < maxRetries && !isEdgeApiError(error),
      },
      mutations: { retry: false },
    },
  });
}
