/**
 * The secrets of the push endpoint as a file has them: one, or two on a line each while you rotate them. Both are then
 * accepted. The same rules apply at the start and when the file changes later.
 */

import { text } from './setting.ts';

const PUSH_SECRET_FILE = 'TAPELOOM_PUSH_SECRET_FILE';
const SECRET_LENGTH_MIN = 32;
const SECRETS_MAX = 2;
/** Characters that a header can carry. */
const SECRET = /^[\x21-\x7e]{32,512}$/;

export const pushSecretFileSetting = text<string | null>(
  { variable: PUSH_SECRET_FILE, fallback: null },
  'the path of a file with the secret of the push endpoint',
  (value) => value !== '' && !value.includes('\0'),
);

/** The secrets, or a sentence about the file that shows none of it. */
export function pushSecretsIn(path: string, content: string): readonly string[] | string {
  const secrets = content.split(/\r?\n/).flatMap((line) => line.trim() || []);
  if (secrets.length === 0) return `${PUSH_SECRET_FILE}: the file ${path} is empty.`;
  if (secrets.length > SECRETS_MAX) {
    return `${PUSH_SECRET_FILE}: the file ${path} has ${secrets.length} lines. It may have one secret, or two while you rotate them.`;
  }
  if (secrets.every((secret) => SECRET.test(secret))) return secrets;
  return (
    `${PUSH_SECRET_FILE}: a secret in ${path} must have at least ${SECRET_LENGTH_MIN} characters, ` +
    'without spaces, all of them ASCII. "openssl rand -hex 32" makes one.'
  );
}

export function* pushSecretFaults(
  path: string | null,
  readFile: (path: string) => string,
): Generator<string> {
  if (path === null) return;
  try {
    const secrets = pushSecretsIn(path, readFile(path));
    if (typeof secrets === 'string') yield secrets;
  } catch (error) {
    yield `${PUSH_SECRET_FILE}: cannot read ${path}: ${(error as Error).message}`;
  }
}
