import type { Row } from '@edge-controller/operation-tables';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { edge } from '../../session/edge.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Form } from '../../ui/form.tsx';
import { ErrorNotice, Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { verificationCommands } from './verification-commands.ts';
import './ca-verification.css';

/** Bytes. The controller takes no longer certificate. */
const maxFile = 65_536;

/** The steps that prove that an administrator has the key of a CA. */
export function CaVerification({ entity }: { readonly entity: Row }) {
  const { id, name, isVerified, verificationToken } = entity;
  if (isVerified === true) {
    return <Notice kind="good">{String(name)} is verified. Its certificates count as its settings say.</Notice>;
  }
  const token = String(verificationToken ?? '');
  return (
    <>
      <p>
        The CA is <strong>not verified</strong>: none of its certificates signs anybody in. Prove that you have its key.
      </p>
      <ol className="ca-steps">
        <li>
          <h3>Take the token</h3>
          <CodeBlock label="token" text={token} />
        </li>
        <li>
          <h3>Issue a certificate with this common name</h3>
          <p className="soft">
            Run this where the CA has its certificate (<code>ca.pem</code>) and its key (<code>ca.key</code>).
          </p>
          <CodeBlock label="commands" text={verificationCommands(token)} />
        </li>
        <li>
          <h3>Send the certificate</h3>
          <ProofForm id={String(id)} />
        </li>
      </ol>
    </>
  );
}

function ProofForm({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const [pem, setPem] = useState('');
  const [fault, setFault] = useState<string>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => edge.management.cas.verify(id, pem),
    onSuccess: () => queries.invalidateQueries(),
  });

  async function take(files: FileList | null): Promise<void> {
    const [file] = files ?? [];
    if (file === undefined) return;
    const isTooLong = file.size > maxFile;
    setFault(isTooLong ? 'The file is too long for a certificate.' : undefined);
    if (!isTooLong) setPem(await file.text());
  }

  return (
    <Form onSubmit={() => mutate()}>
      <TextField
        label="Certificate"
        description="In PEM, as verify.pem has it."
        rows={6}
        value={pem}
        onChange={setPem}
        error={fault}
        maxLength={maxFile}
        spellCheck="false"
        isRequired
      />
      <ErrorNotice error={error} />
      <div className="row">
        <Button type="submit" kind="primary" isDisabled={isPending}>
          Verify the CA
        </Button>
        <FileTrigger acceptedFileTypes={['.pem', '.crt', '.cer']} onSelect={(files) => void take(files)}>
          <Button>Choose a file …</Button>
        </FileTrigger>
      </div>
    </Form>
  );
}
