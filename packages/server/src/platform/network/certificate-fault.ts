/** Classifies TLS error codes: why a server's certificate is rejected. */

/** No trusted authority signed it. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);
/** It is expired, not yet valid, or for another host. */
const NOT_GOOD = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function certificateFault(code: string): 'untrusted' | 'not good' | null {
  if (UNTRUSTED.has(code)) return 'untrusted';
  return NOT_GOOD.has(code) ? 'not good' : null;
}

/** The innermost cause is the most specific: a refused connection, a wrong password, an unknown database. */
export function innermostError(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause instanceof AggregateError ? cause.errors[0] : cause;
}
