/**
 * The reference history of a topic over a range, from one node: the state at its beginning, then
 * every message. All nodes must return the same; the customers' states are compared with it.
 */

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseCursor } from '@tapeloom/core/cursor';
import type { ResumeStream } from '../followed.ts';
import { judge, type Truth } from '../resume-truth.ts';
import type { Checkpoint, Door } from './cluster-client.ts';

/** Retry later: the node is at a limit, or behind other nodes. */
const LATER: readonly number[] = [409, 429, 503];
const LATER_MS = 300;
/** Small, so that two minutes of a stream take several pages. */
const LIMIT_ACROSS = '100';

export interface Item {
  readonly t: 'snapshot' | 'upsert' | 'remove';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data: unknown;
  readonly items: readonly Omit<Item, 'items'>[];
}

export interface ToldHistory {
  readonly items: readonly Item[];
  /** SHA-256 of all items. */
  readonly digest: string;
}

/** The endpoint of a node, and the caller's key. */
export interface Asked extends Door {
  readonly key: string;
}

export function studyFields({ instrument, indicator, params, mode }: ResumeStream) {
  return { instrument, indicator, params: JSON.stringify(params), mode };
}

/** Reads all pages of a range; rejects after the deadline. */
export async function readHistory(
  asked: Asked,
  fields: Readonly<Record<string, string>>,
  withinMs: number,
): Promise<ToldHistory> {
  const deadline = performance.now() + withinMs;
  const items: Item[] = [];
  const hash = createHash('sha256');
  let cursor: string | null = null;
  do {
    const next: Record<string, string> = cursor === null ? {} : { cursor };
    const page = await readPage(asked, { ...fields, limit: '10000', ...next }, deadline);
    for (const item of page.items) {
      hash.update(`${JSON.stringify(item)}\n`);
      items.push(item);
    }
    cursor = page.next;
  } while (cursor !== null);
  return { items, digest: hash.digest('hex') };
}

/** Reads a range up to now, each page from the next node; `to` is the end of the first page. */
export async function readAcross(
  nodes: readonly Asked[],
  fields: Readonly<Record<string, string>>,
  withinMs: number,
): Promise<{ readonly items: readonly Item[]; readonly to: string }> {
  const deadline = performance.now() + withinMs;
  const items: Item[] = [];
  let further: Record<string, string> = {};
  for (let at = 0; ; at += 1) {
    const node = nodes[at % nodes.length]!;
    const page = await readPage(node, { ...fields, limit: LIMIT_ACROSS, ...further }, deadline);
    items.push(...page.items);
    const to = further.to ?? page.to!;
    if (page.next === null) return { items, to };
    further = { to, cursor: page.next };
  }
}

interface Page {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly to?: string;
}

async function readPage(
  { host, port, key }: Asked,
  fields: Readonly<Record<string, string>>,
  deadline: number,
): Promise<Page> {
  const url = `http://${host}:${port}/v1/history?${new URLSearchParams(fields)}`;
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const left = Math.max(1, deadline - performance.now());
    const signal = AbortSignal.timeout(Math.ceil(left));
    const answer = await fetch(url, { headers, signal }).catch((error: Error) => {
      throw new Error(`${url} was not answered`, { cause: error });
    });
    if (answer.status === 200) return (await answer.json()) as Page;
    const text = await answer.text();
    if (!LATER.includes(answer.status) || performance.now() > deadline) {
      throw new Error(`${url} was answered ${answer.status} ${text}`);
    }
    await pause(LATER_MS);
  }
}

/** Converts the items of a range that was read with its snapshot. */
export function truthOfItems(stream: ResumeStream, items: readonly Item[]): Truth {
  const [snapshot, ...updates] = items;
  if (snapshot?.t !== 'snapshot') throw new Error('a history with a snapshot begins with it');
  return {
    stream,
    first: new Map(snapshot.items.map((item) => [item.id, objectText(item)])),
    published: updates.map((item) => ({
      cursor: parseCursor(item.cursor)!,
      id: item.id,
      object: item.t === 'upsert' ? objectText(item) : null,
    })),
  };
}

/** The errors in the state of one subscription. */
export function judgeCheckpoint(truth: Truth, checkpoint: Checkpoint): readonly string[] {
  const { base, isBaseKnown } = checkpoint;
  // A state that grew over several rounds has more objects than a snapshot.
  return judge(isBaseKnown ? { ...truth, first: base.items } : truth, checkpoint);
}

function objectText({ final, ts, data }: Omit<Item, 'items'>): string {
  return JSON.stringify({ final, ts, data });
}
