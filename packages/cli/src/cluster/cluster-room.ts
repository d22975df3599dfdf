/** Options of the cluster commands: how many servers store the tape, and how much space it has on each. */

import { GIB } from '@tapeloom/core/units';
import { byteCount } from '@tapeloom/server/config/setting';
import type { ClusterPlan } from '@tapeloom/server/operations/cluster/init-cluster';
import { UsageError } from '../command.ts';

const STREAM_BYTES = 4 * GIB;
const OBJECT_BYTES = 16 * GIB;

export const ROOM_TEXTS = ['replicas', 'stream-bytes', 'object-bytes'] as const;

export function roomOf(
  values: Readonly<Partial<Record<(typeof ROOM_TEXTS)[number], string>>>,
): Pick<ClusterPlan, 'replicas' | 'streamBytesMax' | 'objectBytesMax'> {
  return {
    replicas: readReplicas(values.replicas ?? '3'),
    streamBytesMax: readBytes('--stream-bytes', values['stream-bytes'], STREAM_BYTES),
    objectBytesMax: readBytes('--object-bytes', values['object-bytes'], OBJECT_BYTES),
  };
}

function readReplicas(text: string): number {
  if (['1', '3', '5'].includes(text)) return Number(text);
  throw new UsageError(`--replicas must be 1, 3 or 5; got ${JSON.stringify(text)}.`);
}

export function readBytes(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const { accepts, read } = byteCount({ variable: name, fallback });
  const bytes = read(text) ?? 0;
  if (bytes > 0) return bytes;
  throw new UsageError(`${name} must be ${accepts}; got ${JSON.stringify(text)}.`);
}
