/**
 * Checks that the servers of a shared tape keep what they acknowledge: version, sync before acknowledgement, room for
 * the largest record. Only the monitoring endpoint reports the sync setting; every client gets the other values.
 */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import type { ServerFault } from '../../../platform/network/server-fault.ts';
import { connectNats, type NatsAddress } from './nats-connection.ts';
import { natsFault } from './nats-fault.ts';

/** Older versions could lose a stream when killed, or could not sync at all; see docs/decisions/0064. */
const NATS_VERSION_MIN: readonly [number, number, number] = [2, 10, 27];
/** More than a day's largest opening with its headers. */
const NATS_PAYLOAD_BYTES_MIN = 4 * 1_048_576;
const MONITOR_MS_MAX = 2_000;

export interface NatsServersAddress extends NatsAddress {
  readonly monitors: readonly string[];
  readonly isSyncAssured: boolean;
}

export interface NatsServerState {
  /** The configured URL. */
  readonly url: string;
  /** Its own name; null: it does not respond. */
  readonly name: string | null;
  /** Its id on monitoring endpoints. */
  readonly id: string | null;
  /** The reason why it does not respond, in a sentence. */
  readonly fault: ServerFault | null;
  readonly version: string | null;
  readonly payloadBytesMax: number | null;
  /** Null: unknown. */
  readonly isSyncAlways: boolean | null;
}

/** The state that each server reports. */
export async function askNatsServers(
  address: NatsServersAddress,
  client: string,
): Promise<readonly NatsServerState[]> {
  const synced = await askMonitors(address);
  return await Promise.all(
    address.servers.map(async (url) => {
      try {
        await using connection = disposable(
          await connectNats({ ...address, servers: [url] }, client),
        );
        const info = connection.of.info!;
        return {
          url,
          name: info.server_name,
          id: info.server_id,
          fault: null,
          version: info.version,
          payloadBytesMax: info.max_payload,
          isSyncAlways: synced.get(info.server_id) ?? null,
        };
      } catch (error) {
        const fault = natsFault(address, url, error);
        const unknown = { name: null, id: null, version: null, payloadBytesMax: null };
        return { url, fault, ...unknown, isSyncAlways: null };
      }
    }),
  );
}

/** Faults of the servers that rule out a tape, one sentence each. Servers that do not respond are not judged. */
export function natsServerFaults(
  servers: readonly NatsServerState[],
  isSyncAssured: boolean,
): readonly string[] {
  const faults: string[] = [];
  for (const { url, version, payloadBytesMax, isSyncAlways } of servers) {
    if (version === null || payloadBytesMax === null) continue;
    if (isOlder(version)) {
      faults.push(
        `nats-server ${version} at ${url} is too old: ${NATS_VERSION_MIN.join('.')} or later`,
      );
    }
    if (payloadBytesMax < NATS_PAYLOAD_BYTES_MIN) {
      faults.push(
        `${url} accepts messages of up to ${payloadBytesMax} bytes: max_payload must be ${NATS_PAYLOAD_BYTES_MIN} or more`,
      );
    }
    if (isSyncAlways === false) {
      faults.push(
        `${url} acknowledges before it has synced: set "sync_interval: always" in its block "jetstream"`,
      );
    } else if (isSyncAlways === null && !isSyncAssured) {
      faults.push(
        `it is unknown how ${url} syncs: set TAPELOOM_NATS_MONITOR to its monitoring address, or confirm "sync_interval: always" with TAPELOOM_NATS_SYNC=assured`,
      );
    }
  }
  return faults;
}

/** By the ids of the responding servers. */
async function askMonitors(address: NatsServersAddress): Promise<ReadonlyMap<string, boolean>> {
  const answers = await eachMonitor(address, '/jsz');
  return new Map(
    answers.flatMap(({ server_id: id, config }) =>
      config === undefined ? [] : [[id, config.sync_always === true]],
    ),
  );
}

/** The last stored number of each stream on each server, by server id and Raft group. */
export async function askStoredEnds(
  address: NatsServersAddress,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const answers = await eachMonitor(address, '/jsz?streams=true');
  return new Map(
    answers.map(({ server_id: id, account_details: accounts = [] }) => {
      const streams = accounts.flatMap(({ stream_detail: details = [] }) => details);
      const ends = streams.flatMap(({ cluster, state }): (readonly [string, number])[] =>
        cluster?.raft_group === undefined ? [] : [[cluster.raft_group, state?.last_seq ?? 0]],
      );
      return [id, new Map(ends)];
    }),
  );
}

/** The used part of a monitoring response. */
interface MonitorAnswer {
  readonly server_id: string;
  readonly config?: { readonly sync_always?: unknown };
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly cluster?: { readonly raft_group?: string };
      readonly state?: { readonly last_seq?: number };
    }[];
  }[];
}

/** Without servers that do not respond. */
async function eachMonitor(
  { monitors, caFile }: NatsServersAddress,
  path: string,
): Promise<readonly MonitorAnswer[]> {
  const ca = caFile === null ? null : await readFile(caFile, 'utf8').catch(() => null);
  const answers = await Promise.all(
    monitors.map(async (monitor) => {
      try {
        const said = (await askMonitor(new URL(path, monitor), ca)) as MonitorAnswer;
        return typeof said.server_id === 'string' ? said : null;
      } catch {
        return null;
      }
    }),
  );
  return answers.filter((answer) => answer !== null);
}

/** Trusts the same CA as the servers do; `fetch` has no option for that. */
async function askMonitor(url: URL, ca: string | null): Promise<unknown> {
  const signal = AbortSignal.timeout(MONITOR_MS_MAX);
  const asked =
    url.protocol === 'https:'
      ? https.get(url, { signal, ...(ca === null ? {} : { ca }) })
      : http.get(url, { signal });
  // A request that is aborted during the response emits on both objects.
  asked.on('error', () => undefined);
  const [answer] = (await once(asked, 'response')) as [http.IncomingMessage];
  return await json(answer);
}

function isOlder(version: string): boolean {
  const numbers = version.split(/[.-]/, 3).map(Number);
  const at = NATS_VERSION_MIN.findIndex((least, index) => numbers[index] !== least);
  return at !== -1 && !(numbers[at]! > NATS_VERSION_MIN[at]!);
}

function disposable<T extends { close(): Promise<void> }>(
  of: T,
): AsyncDisposable & { readonly of: T } {
  return { of, [Symbol.asyncDispose]: () => of.close() };
}
