/**
 * The nats-server for tests, or a sentence that explains why there is none: the one in `TAPELOOM_NATS_SERVER`, else the
 * one fetched by `.ci/nats-server`, else the one in the path.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The first version that keeps what it acknowledges; see docs/decisions/0064. */
const VERSION_MIN = [2, 10, 27] as const;
const FETCHED = 'node_modules/.cache/nats-server-2.10.27';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export interface FoundNatsServer {
  readonly path: string;
  readonly version: string;
}

const found = findNatsServer();

/** Why tests that need it are skipped; false if it is present. */
export const natsServerMissing: string | false = typeof found === 'string' && found;

/** The program, for tests that are not skipped. */
export function natsServer(): FoundNatsServer {
  if (typeof found === 'string') throw new Error(found);
  return found;
}

function findNatsServer(): FoundNatsServer | string {
  const named = process.env.TAPELOOM_NATS_SERVER;
  const root = join(import.meta.dirname, '../../../..');
  const fetched = join(
    root,
    `${FETCHED}-${ARCHITECTURES[process.arch] ?? process.arch}/usr/sbin/nats-server`,
  );
  const path = named ?? (existsSync(fetched) ? fetched : 'nats-server');
  const said = spawnSync(path, ['--version'], { encoding: 'utf8' });
  const version = /v(\d+)\.(\d+)\.(\d+)/.exec(said.stdout ?? '');
  if (version === null) {
    return `there is no nats-server: neither TAPELOOM_NATS_SERVER, nor ${fetched}, nor one in the path`;
  }
  const numbers = version.slice(1).map(Number);
  if (isBelow(numbers)) {
    return `nats-server ${numbers.join('.')} at ${path} is older than ${VERSION_MIN.join('.')}`;
  }
  return { path, version: numbers.join('.') };
}

function isBelow(numbers: readonly number[]): boolean {
  const at = VERSION_MIN.findIndex((least, index) => numbers[index] !== least);
  return at !== -1 && numbers[at]! < VERSION_MIN[at]!;
}
