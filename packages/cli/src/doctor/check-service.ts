/** Whether a service runs on the data directory and is healthy; if none runs, whether its ports are free. */

import type { Config } from '@tapeloom/server/config/config';
import { listenError, listenFault } from '@tapeloom/server/operations/start/listen-faults';
import { isDirectoryInUse } from '@tapeloom/server/platform/disk/directory-lock';
import { readServiceNote, type ServiceNote } from '@tapeloom/server/platform/service-note';
import { VERSION } from '@tapeloom/server/platform/version';
import { type Finding, fault, ok, skipped, warning } from './finding.ts';

const CHECK = 'service';
const ANSWERED_WITHIN_MS = 5_000;

/** Null: no service runs, or it is not up yet. */
export function runningService(data: string): ServiceNote | null {
  try {
    return readServiceNote(data);
  } catch {
    // The check of rights reports an unreadable directory.
    return null;
  }
}

export async function checkService(
  config: Config,
  note: ServiceNote | null,
): Promise<readonly Finding[]> {
  if (note !== null) return [await checkHealth(note), ...checkVersion(note)];
  if (isInUse(config.data)) {
    const advice = "Run this again in a moment. The service's log shows what it is waiting for.";
    return [
      warning(CHECK, `a service or command is using ${config.data}, but is not ready yet`, advice),
    ];
  }
  return [skipped(CHECK, `no service runs on ${config.data}`), ...(await checkPorts(config))];
}

function isInUse(data: string): boolean {
  try {
    return isDirectoryInUse(data);
  } catch {
    return false;
  }
}

async function checkHealth({ pid, internal }: ServiceNote): Promise<Finding> {
  const advice = "Look at the service's log.";
  try {
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    const response = await fetch(`${internal}/health/ready`, { signal });
    const { reason } = (await response.json()) as { readonly reason: string | null };
    if (response.ok) return ok(CHECK, `process ${pid} is ready`);
    return fault(CHECK, `process ${pid} is not ready: ${reason}`, advice);
  } catch (error) {
    const why = (error as Error).message;
    return fault(CHECK, `process ${pid} does not respond at ${internal}: ${why}`, advice);
  }
}

function checkVersion({ version }: ServiceNote): readonly Finding[] {
  if (version === VERSION) return [];
  const detail = `it runs ${version}, but ${VERSION} is installed`;
  return [warning(CHECK, detail, `Restart the service to run ${VERSION}.`)];
}

/** Opens each port briefly and closes it. */
async function checkPorts(config: Config): Promise<readonly Finding[]> {
  const ports = [
    { host: config.host, port: config.port, names: ['TAPELOOM_HOST', 'TAPELOOM_PORT'] },
    {
      ...{ host: config.internalHost, port: config.internalPort },
      names: ['TAPELOOM_INTERNAL_HOST', 'TAPELOOM_INTERNAL_PORT'],
    },
  ] as const;
  return await Promise.all(ports.map(checkPort));
}

async function checkPort(door: {
  readonly host: string;
  readonly port: number;
  readonly names: readonly [host: string, port: string];
}): Promise<Finding> {
  const where = `${door.host}:${door.port}`;
  const error = await listenError(door.host, door.port);
  if (error === null) return ok('port', `${where} is free`);
  const [host, port] = door.names;
  const why = listenFault(error);
  if (why !== null) {
    const advice =
      error.code === 'EACCES'
        ? `Choose a port from 1024 on with ${port}.`
        : `Set ${host} to an address of this machine, or to 0.0.0.0 for all of them.`;
    return fault('port', `${where}: ${why}`, advice);
  }
  const advice = `Stop the program that uses the port, or choose another port with ${port}.`;
  return fault('port', `${where}: ${error.message}`, advice);
}
