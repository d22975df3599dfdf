/** Where people reach the service that a command prepares something for: as the service itself reads it. */

import { isOrigin, PUBLIC_URL_ACCEPTS } from '@tapeloom/server/config/public-address';
import { type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';

export const URL_USAGE = `  --url <address>     where people reach the service (default: TAPELOOM_PUBLIC_URL, or its port on this machine)`;

export function portalOrigin(given: string | undefined, io: CommandIo): string {
  if (given === undefined) {
    const { publicUrl, port } = configOf(io);
    return publicUrl ?? `http://127.0.0.1:${port}`;
  }
  if (isOrigin(given)) return given;
  throw new UsageError(`--url is ${PUBLIC_URL_ACCEPTS}; read ${given}`);
}
