import type { Element, GeneralName } from '@edge-controller/certificate-path';
import { childrenOf, NotDer, readExtensions, readOid, sequenceOf, tags } from '@edge-controller/certificate-path';

const extensionRequest = '1.2.840.113549.1.9.14';

/**
 * Reads the subject alternative names that the attributes of a CSR request (RFC 2985, section 5.4.2).
 *
 * @throws NotDer, BrokenRule
 */
export function readRequestedNames(attributes: Element | undefined): readonly GeneralName[] {
  const requests = (attributes ? childrenOf(attributes) : []).flatMap((attribute) => {
    const parts = sequenceOf(attribute);
    const type = readOid(parts.next(tags.oid));
    const values = childrenOf(parts.next(tags.set));
    parts.end();
    return type === extensionRequest ? values : [];
  });
  const [extensions, ...others] = requests;
  if (others.length > 0) throw new NotDer('extensions are requested twice');
  return (extensions && readExtensions(extensions).subjectAltNames?.names) ?? [];
}
