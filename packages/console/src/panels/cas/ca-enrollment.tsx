import type { Row } from '@edge-controller/operation-tables';
import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { ErrorNotice } from '../../ui/notice.tsx';

/** The JWT with which devices of a CA enroll themselves. */
export function CaEnrollment({ entity }: { readonly entity: Row }) {
  const { id, name, isVerified, isAutoCaEnrollmentEnabled } = entity;
  const isReady = isVerified === true && isAutoCaEnrollmentEnabled === true;
  const { data, error } = useQuery({
    queryKey: ['entity', 'management', 'cas', id, 'jwt'],
    queryFn: () => edge.management.cas.jwt(String(id)),
    enabled: isReady,
  });
  if (isVerified !== true) return <p>Verify the CA first. Then its devices can enroll themselves.</p>;
  if (!isReady) return <p>Its devices cannot enroll themselves: “Is auto CA enrollment enabled” is off.</p>;
  const fileName = `${String(name).replaceAll(/[^\w.-]+/g, '-')}.jwt`;
  return (
    <>
      <p>
        Every device with a certificate of {String(name)} enrolls with the same JWT. It is no secret: only the
        certificate counts.
      </p>
      <ErrorNotice error={error} />
      {data && (
        <>
          <div className="row">
            <DownloadButton label={`Download ${fileName}`} fileName={fileName} text={`${data}\n`} />
            <CopyButton label="Copy JWT" text={data} />
          </div>
          <CodeBlock label="command" text={`edge enroll ${fileName} --cert device.pem --key device.key`} />
        </>
      )}
    </>
  );
}
