/**
 * The secret behind export tokens, made once and stored in the data directory, readable by its owner only, so tokens
 * outlive a restart. After a crash the file is whole or missing. A secret that other users could read is closed to them
 * and kept; one that they could write may have been planted, and is replaced.
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { closeToOthers, OWNER_ONLY } from '../platform/disk/private-file.ts';
import { syncDirectory } from '../platform/disk/sync-directory.ts';

const FILE_NAME = 'export-secret';
const SECRET_BYTES = 32;

/** Only the operator can fix it; the message is complete. */
export class ExportSecretError extends Error {}

/** Whether a service has made a secret here. */
export function hasExportSecret(directory: string): boolean {
  return existsSync(join(directory, FILE_NAME));
}

/** `warn` gets the fault of the file, and its consequence. */
export async function exportSecret(
  directory: string,
  warn: (what: string) => void,
): Promise<Uint8Array> {
  const path = join(directory, FILE_NAME);
  try {
    return (await keptSecret(path, warn)) ?? (await newSecret(directory, path));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const how = 'the file must belong to the service; remove it, and the service creates a new one';
    throw new ExportSecretError(`${path} cannot be used: ${why}; ${how}`, { cause: error });
  }
}

/** Null when there is no usable secret. */
async function keptSecret(path: string, warn: (what: string) => void): Promise<Uint8Array | null> {
  // Closed before it is read: no other user can change it between the two.
  const exposure = await closeToOthers(path);
  if (exposure === null) return null;
  if (exposure === 'write') {
    warn(
      `other users could write ${path}: the service replaced it, so exports that were started before cannot be resumed`,
    );
    return null;
  }
  const kept = await readFile(path);
  if (kept.length !== SECRET_BYTES) {
    warn(
      `${path} was damaged: the service replaced it, so exports that were started before cannot be resumed`,
    );
    return null;
  }
  if (exposure === 'read') {
    warn(
      `other users could read ${path}: its permissions are now restricted. Remove it to invalidate a secret they may have read`,
    );
  }
  return kept;
}

async function newSecret(directory: string, path: string): Promise<Uint8Array> {
  const made = randomBytes(SECRET_BYTES);
  const unfinished = `${path}.unfinished`;
  // Left by a start that was cut off, or put there by other users.
  await rm(unfinished, { force: true });
  {
    await using file = await open(unfinished, 'wx', OWNER_ONLY);
    await file.write(made);
    await file.sync();
  }
  await rename(unfinished, path);
  await syncDirectory(directory);
  return made;
}
