import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';

/** Where people reach the console by the listener of this page, as the controller says. `null`: not known yet. */
export function useConsoleAddress(): string | null {
  const { data } = useQuery({
    queryKey: ['entity', 'client', 'protocols'],
    queryFn: ({ signal }) => edge.client.protocols.get({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.https === undefined ? null : `https://${data.https.address}`;
}
