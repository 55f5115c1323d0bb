/**
 * The rules of path validation, by id: what is refused, and where the rule comes from. Sections are those of RFC 5280
 * when nothing else is named.
 */
export const chainRules = {
  'too-many-certificates': 'more certificates than a client may send',
  'too-large': 'a certificate or all of them together have too many bytes',
  malformed: 'not one certificate in DER (4.1, X.690)',
  version: 'extensions in a certificate below version 3, or another version in an issuer (4.1.2.1)',
  'serial-number': 'negative, zero or longer than 20 octets (4.1.2.2)',
  'empty-name': 'no issuer, or neither a subject nor a critical subjectAltName (4.1.2.4, 4.1.2.6)',
  'algorithm-mismatch': 'the signature algorithms inside and outside of the signed part differ (4.1.1.2)',
  'weak-signature': 'not RSA, RSA-PSS or ECDSA with SHA-256 or better, or Ed25519 (RFC 4055, RFC 5758, RFC 8410)',
  'weak-key': 'not RSA from 2,048 to 8,192 bits with a sane exponent, P-256, P-384, P-521 or Ed25519',
  'malformed-extension': 'an extension that is not what its definition says (4.2)',
  'duplicate-extension': 'an extension occurs twice (4.2)',
  'unknown-critical-extension': 'a critical extension that is not processed here (4.2)',
  'extension-criticality': 'critical although it must not be (4.2.1.1, 4.2.1.2, 4.2.2.1)',
  'unknown-issuer': 'no certificate at hand has the name of the issuer (6.1.3 a 4)',
  signature: 'not signed with the key of the issuer (6.1.3 a 1)',
  'not-yet-valid': 'before the validity period (6.1.3 a 2)',
  expired: 'after the validity period (6.1.3 a 2)',
  'not-a-ca': 'an issuer without critical basicConstraints with CA:TRUE (6.1.4 k)',
  'ca-as-leaf': 'the leaf may issue certificates (4.2.1.3, 4.2.1.9)',
  'path-length': 'more issuers below than pathLenConstraint allows (6.1.4 l, m)',
  'path-too-deep': 'more intermediates than the caller allows',
  'key-usage': 'keyUsage without keyCertSign in an issuer or without digitalSignature in the leaf (6.1.4 n, 4.2.1.3)',
  'extended-key-usage': 'extKeyUsage without the required purpose, in the leaf or above it (4.2.1.12)',
  'name-constraints': 'a name that an issuer above may not certify (6.1.3 b, c)',
  'unsupported-name-constraint': 'a name whose form is constrained above in a way nobody here can check (4.2.1.10)',
  'certificate-policies': 'an explicit policy is required, and none is valid for the whole path (6.1.3 f, 6.1.5 g)',
  'too-much-work': 'the search for a path was given up at its limits',
} as const;

/** The id of a rule of path validation. */
export type ChainRule = keyof typeof chainRules;

/** A certificate breaks a rule. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule';
  readonly rule: ChainRule;

  constructor(rule: ChainRule, message: string) {
    super(message);
    this.rule = rule;
  }
}
