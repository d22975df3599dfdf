/** Small records of the tape as text: canonical JSON with version and checksum, so that a read detects changed bits. */

import { createHash } from 'node:crypto';
import { TapeDamagedError } from './tape-errors.ts';

export function printChecked(record: object): string {
  const body = JSON.stringify(record);
  const checksum = createHash('sha256').update(body).digest('hex');
  return `${body.slice(0, -1)},"checksum":"${checksum}"}\n`;
}

/** Throws `TapeDamagedError` unless the text is exactly what `printChecked` returns. */
export function parseChecked<Value extends { readonly version: number }>(
  text: string,
  {
    what,
    version,
    file,
  }: { readonly what: string; readonly version: number; readonly file: string },
): Value {
  let parsed: Value & { checksum?: string };
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new TapeDamagedError(`the ${what} is no JSON`, { file, offset: 0 }, error);
  }
  const { checksum: _, ...record } = parsed;
  if (record.version !== version || printChecked(record) !== text) {
    throw new TapeDamagedError(`the ${what} does not fit its checksum`, { file, offset: 0 });
  }
  return record as unknown as Value;
}
