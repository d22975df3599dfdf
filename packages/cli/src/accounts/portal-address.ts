/** The public address of the service: from `--url`, the settings, or the note of the running service, in this order. */

import { isOrigin, PUBLIC_URL_ACCEPTS } from '@tapeloom/server/config/public-address';
import { readServiceNote } from '@tapeloom/server/platform/service-note';
import { type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';

export const URL_USAGE = `  --url <address>     public address of the service (default: TAPELOOM_PUBLIC_URL, or that of the running service)`;

export function portalOrigin(given: string | undefined, io: CommandIo, data: string): string {
  if (given === undefined) {
    const { publicUrl, port } = configOf(io);
    return publicUrl ?? readServiceNote(data)?.portal ?? `http://127.0.0.1:${port}`;
  }
  if (isOrigin(given)) return given;
  throw new UsageError(`--url must be ${PUBLIC_URL_ACCEPTS}; got ${given}`);
}
