/** How an enrollment is redeemed. `ca`: a device enrolls itself with a certificate of a known CA. */
export type EnrollmentMethod = 'ott' | 'ottca' | 'ca' | 'updb';
