import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';
import { Select } from '../../ui/select.tsx';

/** A network has few CAs; the first ones by name are shown. */
const shownCas = 100;

interface CaSelectProps {
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  readonly error: string | undefined;
}

/** Chooses a CA that allows enrollments. */
export function CaSelect({ value, onChange, error }: CaSelectProps) {
  const filter = 'isOttCaEnrollmentEnabled = true';
  const { data } = useQuery({
    queryKey: ['list', 'management', 'cas', filter],
    queryFn: async () => (await edge.management.cas.list({ filter, sort: 'name', limit: shownCas })).data,
  });
  const options = (data ?? []).map(({ id, name }) => ({ id, label: name }));
  return (
    <Select
      label="CA"
      description={data?.length === 0 ? 'No CA allows enrollments.' : 'The CA that has issued the certificate.'}
      options={options}
      value={value}
      onChange={onChange}
      error={error}
      isRequired
    />
  );
}
