export { BrokenRule, type ChainRule, chainRules } from './broken-rule.ts';
export { type Certificate, readCertificate } from './certificate.ts';
export { readExtensions } from './certificate-extensions.ts';
export {
  childrenOf,
  constructed,
  type Element,
  NotDer,
  primitive,
  readOne,
  sequenceOf,
  tags,
  unwrap,
} from './der.ts';
export { readCount, readInteger, readOctets, readOid } from './der-values.ts';
export { readName } from './distinguished-name.ts';
export type { GeneralName } from './general-name.ts';
export { type IssuerFlaw, issuerFlaw } from './issuer-flaw.ts';
export { checkNames } from './name-constraints.ts';
export { readDnsName, readMailbox } from './name-forms.ts';
export { type KeyKind, readPublicKey } from './public-key.ts';
export { checkDates, checkIssuer, checkPurpose } from './role-rules.ts';
export { isSignedBy, readSignatureAlgorithm } from './signature-algorithm.ts';
export { readSubjectNames } from './subject-names.ts';
export {
  type ChainOptions,
  extendedKeyUsages,
  type InvalidChain,
  type Leaf,
  type ValidChain,
  verifyChain,
} from './verify-chain.ts';
