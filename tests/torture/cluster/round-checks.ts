/** The checks after every round: customers, and the tape on every node and replica. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import { STREAM } from '../../cluster-suite/cluster-leaders.ts';
import type { ClusterNode } from '../../cluster-suite/cluster-node.ts';
import type { ClusterRig } from '../../cluster-suite/cluster-rig.ts';
import { WAIT_LIMIT_MS } from '../../running-service.ts';
import { fetchExport, heldOf } from '../export-client.ts';
import type { ResumeStream } from '../followed.ts';
import type { Checkpoint, ClusterClient } from './cluster-client.ts';
import {
  judgeCheckpoint,
  readAcross,
  readHistory,
  studyFields,
  type ToldHistory,
  truthOfItems,
} from './history-truth.ts';
import { replicaContent, replicasDiffer } from './replica-content.ts';

const LOOK_MS = 200;
/** Log lines to show of each server after a failed check. */
const WORDS_SHOWN = 40;
/** Characters to show of an item that differs between nodes. */
const ITEM_SHOWN = 300;

/** Every customer has the history that all nodes report; returns a sentence for each violation. */
export async function checkCustomers(
  { serving }: ClusterRig,
  clients: readonly ClusterClient[],
  { key, from }: { readonly key: string; readonly from: bigint },
): Promise<readonly string[]> {
  const each = await Promise.all(clients.map((client) => client.checkpoint(WAIT_LIMIT_MS)));
  const problems = clients.flatMap((client) => client.problems.splice(0));
  for (const client of clients) {
    const doubled = client.followed.reduce((sum, { ignored }) => sum + ignored, 0);
    if (doubled > 0) problems.push(`${doubled} updates came twice`);
    for (const followed of client.followed) followed.ignored = 0;
  }
  const byStream = Map.groupBy(each.flat(), ({ stream }) => stream);
  const found = await Promise.all(
    [...byStream].map(([stream, checkpoints]) =>
      checkStream(serving, stream, checkpoints, { key, from }),
    ),
  );
  return [...problems, ...found.flat()];
}

async function checkStream(
  nodes: readonly ClusterNode[],
  stream: ResumeStream,
  checkpoints: readonly Checkpoint[],
  { key, from }: { readonly key: string; readonly from: bigint },
): Promise<readonly string[]> {
  const until = checkpoints.map(({ final }) => final).reduce(later);
  const range = { ...studyFields(stream), from: String(from), untilCursor: until };
  const told = await Promise.all(
    nodes.map(({ host, port }) =>
      readHistory({ host, port, key }, { ...range, snapshot: 'true' }, WAIT_LIMIT_MS),
    ),
  );
  const problems: string[] = [];
  const name = `${stream.indicator} ${stream.mode}`;
  for (const [index, other] of told.entries()) {
    if (other.digest === told[0]!.digest) continue;
    const who = `${nodes[index]!.name} tells another history than ${nodes[0]!.name}`;
    problems.push(`${name}: ${who} from ${from} to ${until}: ${firstDifference(told[0]!, other)}`);
  }
  const truth = truthOfItems(stream, told[0]!.items);
  for (const checkpoint of checkpoints) {
    problems.push(...judgeCheckpoint(truth, checkpoint).map((it) => `${name}: ${it}`));
  }
  problems.push(...(await checkExports(nodes, range, key)).map((it) => `${name}: ${it}`));
  const doors = nodes.map((node) => ({ ...doorOf(node), key }));
  const fields = { ...studyFields(stream), from: String(from) };
  const { items, to } = await readAcross(doors, fields, WAIT_LIMIT_MS);
  const whole = await readHistory(doors[0]!, { ...fields, to }, WAIT_LIMIT_MS);
  const isSame = JSON.stringify(items) === JSON.stringify(whole.items);
  if (!isSame) problems.push(`${name}: pages of several nodes have other items up to ${to}`);
  return problems;
}

function firstDifference({ items }: ToldHistory, other: ToldHistory): string {
  const texts = [items, other.items].map((all) => all.map((item) => JSON.stringify(item)));
  const at = texts[0]!.findIndex((text, index) => text !== texts[1]![index]);
  const each = texts.map((all) => `${all[at]?.slice(0, ITEM_SHOWN) ?? 'nothing'} of ${all.length}`);
  return `at ${at}, ${each.join(' against ')}`;
}

/** Every node exports the same lines, and they equal the pages. */
async function checkExports(
  nodes: readonly ClusterNode[],
  range: Readonly<Record<string, string>>,
  key: string,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const { items } = await readHistory({ ...doorOf(nodes[0]!), key }, range, WAIT_LIMIT_MS);
  const pages = items.map((item) => JSON.stringify(item)).join('\n');
  for (const node of nodes) {
    const fetched = await fetchExport({ ...doorOf(node), key }, range, { t: 'none' });
    if (fetched.t !== 'heard') {
      problems.push(`${node.name} does not export: ${JSON.stringify(fetched)}`);
      continue;
    }
    const held = heldOf(range);
    held.add(fetched);
    const lines = held.bytes.toString().trimEnd().split('\n').slice(1, -1);
    const exported = lines.map((line) => JSON.stringify(JSON.parse(line))).join('\n');
    if (exported !== pages) problems.push(`${node.name} exports other lines than pages have`);
  }
  return problems;
}

function doorOf({ host, port }: ClusterNode) {
  return { host, port };
}

export async function checkReplicas({ nats }: ClusterRig): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  const stores = Array.from({ length: nats.count }, (_, index) => nats.storeOf(index));
  for (;;) {
    const contents = await Promise.all(stores.map((store) => replicaContent(store, STREAM)));
    const difference = replicasDiffer(contents);
    if (difference === null) return;
    // Followers may be a moment behind.
    if (performance.now() > deadline) assert.fail(`${difference}\n${await lastWordsOf(nats)}`);
    await pause(LOOK_MS);
  }
}

async function lastWordsOf(nats: ClusterRig['nats']): Promise<string> {
  const logs = await Promise.all(Array.from({ length: nats.count }, (_, at) => nats.log(at)));
  const lines = logs.map((log) => log.trimEnd().split('\n').slice(-WORDS_SHOWN).join('\n'));
  return lines.map((last, at) => `server-${at}:\n${last}`).join('\n');
}

/** Every log of an open day is a prefix of the longest; `sealed-content.ts` checks sealed days. */
export async function checkTapes({ nodes }: ClusterRig): Promise<void> {
  const logs = await Promise.all(
    [...nodes.values()].map(async ({ name, setting }) => ({
      name,
      logs: await logsOf(setting.data),
    })),
  );
  const days = new Set(logs.flatMap((node) => [...node.logs.keys()]));
  for (const day of days) {
    const having = logs.flatMap((node) => {
      const bytes = node.logs.get(day);
      return bytes === undefined ? [] : [{ name: node.name, bytes }];
    });
    const least = Math.min(...having.map(({ bytes }) => bytes.length));
    const digests = new Set(
      having.map(({ bytes }) =>
        createHash('sha256').update(bytes.subarray(0, least)).digest('hex'),
      ),
    );
    const names = having.map(({ name, bytes }) => `${name} ${bytes.length}`).join(', ');
    assert.equal(digests.size, 1, `logs of ${day} differ in their first ${least} bytes: ${names}`);
  }
}

async function logsOf(data: string): Promise<ReadonlyMap<string, Buffer>> {
  const logs = new Map<string, Buffer>();
  const tape = join(data, 'tape');
  for (const dataset of await readdir(tape).catch(() => [])) {
    const folder = join(tape, dataset, 'log');
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.log')) continue;
      logs.set(`${dataset}/${name}`, await readFile(join(folder, name)));
    }
  }
  return logs;
}

function later(a: string, b: string): string {
  return compareCursors(parseCursor(a)!, parseCursor(b)!) > 0 ? a : b;
}
