/** The client certificate for NATS servers that require one: a certificate and its key, in two files. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The files exist, but are not a certificate with its key. */
export class NatsCertificateError extends Error {
  readonly of: 'certificate' | 'key';

  constructor(of: 'certificate' | 'key', message: string) {
    super(message);
    this.of = of;
  }
}

/** Checks the files first, because a server would only close the connection, without a reason. */
export async function checkNatsCertificate(certFile: string, keyFile: string): Promise<void> {
  const [cert, key] = [await readFile(certFile), await readFile(keyFile)];
  const certificate = taken('certificate', 'certificate (PEM)', () => new X509Certificate(cert));
  const own = taken('key', 'private key (PEM) without a passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(own)) {
    throw new NatsCertificateError('key', `it is not the key of the certificate in ${certFile}`);
  }
}

function taken<T>(of: 'certificate' | 'key', wanted: string, take: () => T): T {
  try {
    return take();
  } catch {
    // The original message may contain a part of the file.
    throw new NatsCertificateError(of, `it contains no ${wanted}`);
  }
}
