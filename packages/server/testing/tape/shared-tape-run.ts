/**
 * Nodes that share a tape in memory, and a model with every record that was acknowledged to one of them. Each node
 * keeps a chain of records, as a log does: a record names its position and its predecessor. Whatever the connections
 * do, no acknowledged record is missing or doubled, and the chain never breaks, in the stream and on every node.
 */

import assert from 'node:assert/strict';
import { PausableClock } from '../../../../simulation/clock/pausable-clock.ts';
import {
  MemoryKeeper,
  type MemoryStream,
  PLAIN,
} from '../../../../simulation/stream-storage/memory-stream.ts';
import { StreamTime } from '../../../../simulation/stream-storage/stream-time.ts';
import { sleep } from '../../src/platform/waiting/sleep.ts';
import type { FencedWriter } from '../../src/tape/stream/fenced-writer.ts';
import {
  Succession,
  type SuccessionHandler,
  type SuccessionState,
} from '../../src/tape/stream/succession.ts';
import type { StoredMessage } from '../../src/tape/stream/tape-stream.ts';

const RECORD_MS = 100;

interface ChainRecord {
  readonly number: number;
  /** The `made` of its predecessor. */
  readonly previous: string;
  /** Its node and attempt: every record is unique. */
  readonly made: string;
}

export class SharedTapeRun implements AsyncDisposable {
  readonly time = new StreamTime();
  readonly keeper = new MemoryKeeper(this.time);
  readonly acknowledged = new Map<number, string>();
  readonly nodes: SharedTapeNode[] = [];
  readonly random: () => number;
  made = 0;

  constructor(random: () => number) {
    this.random = random;
  }

  add(name: string, mayLead = true): SharedTapeNode {
    const node = new SharedTapeNode(this, name, mayLead);
    this.nodes.push(node);
    node.start();
    return node;
  }

  /** The nodes that consider themselves leading. */
  get leaders(): readonly SharedTapeNode[] {
    return this.nodes.filter(({ now }) => now.role === 'leading');
  }

  acknowledge(sequence: number, text: string): void {
    const before = this.acknowledged.get(sequence);
    assert(before === undefined, `two were told that ${sequence} is theirs: ${before} and ${text}`);
    this.acknowledged.set(sequence, text);
  }

  /** Checks what must hold at any moment. */
  check(): void {
    const stored = new Map(
      this.keeper.messages.map((message) => [message.sequence, textOf(message)]),
    );
    for (const [sequence, text] of this.acknowledged) {
      if (sequence < this.keeper.first) continue;
      assert.equal(stored.get(sequence), text, `${sequence} was acknowledged`);
    }
    const records = this.keeper.messages.filter(({ subject }) => subject === 'record').map(textOf);
    for (const [index, text] of records.entries()) {
      if (index > 0) assertContinues(records[index - 1]!, text);
    }
    for (const node of this.nodes) {
      assert.equal(node.failure, null);
      const from = records.indexOf(node.chain[0] ?? '');
      assert.deepEqual(
        node.chain,
        node.chain.length === 0 ? [] : records.slice(from, from + node.chain.length),
        `the chain of ${node.name}`,
      );
    }
  }

  /** Heals everything: after a while every node has everything, and one appends. */
  async settle(ms = 25_000): Promise<void> {
    for (const node of this.nodes) {
      node.stream.line.plan = () => PLAIN;
      node.heal(this.random() < 0.5);
    }
    await this.time.pass(ms);
    const before = this.acknowledged.size;
    await this.time.pass(1_000);
    assert(this.acknowledged.size > before, 'nobody appends, though all are well');
    assert.equal(this.leaders.length, 1);
    for (const node of this.nodes) {
      const behind = this.keeper.last - node.succession.last;
      assert(behind >= 0 && behind <= 2, `${node.name} is ${behind} behind`);
    }
    this.check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) {
      node.heal(false);
      await this.time.until(node.stop());
    }
  }
}

export class SharedTapeNode implements SuccessionHandler {
  readonly name: string;
  readonly clock: PausableClock;
  readonly stream: MemoryStream;
  readonly mayLead: boolean;
  /** Every state so far, the present one last. */
  readonly states: SuccessionState[] = [{ role: 'following' }];
  /** The texts of the processed records. */
  chain: string[] = [];
  failure: unknown = null;
  succession!: Succession;
  readonly #run: SharedTapeRun;

  constructor(run: SharedTapeRun, name: string, mayLead: boolean) {
    this.#run = run;
    this.name = name;
    this.mayLead = mayLead;
    this.clock = new PausableClock(run.time);
    this.stream = run.keeper.connect(this.clock);
  }

  /** Starts it after the last record it has processed. */
  start(from = this.succession?.last ?? 0): void {
    const { stream, clock, name, mayLead } = this;
    const { random } = this.#run;
    this.states.push({ role: 'following' });
    this.succession = new Succession({
      stream,
      clock,
      random,
      node: name,
      from,
      mayLead,
      handler: this,
    });
    this.succession.run().catch((error: unknown) => {
      this.failure = error;
    });
  }

  stop(): Promise<void> {
    return this.succession[Symbol.asyncDispose]();
  }

  heal(isUnsentSent: boolean): void {
    this.stream.heal(isUnsentSent);
    this.clock.goOn();
  }

  message(stored: StoredMessage): void {
    if (stored.subject !== 'record') return;
    const text = textOf(stored);
    // After a repair of the stream, known records arrive again.
    if (!this.chain.includes(text)) this.#apply(text);
  }

  state(state: SuccessionState): void {
    this.states.push(state);
  }

  get now(): SuccessionState {
    return this.states.at(-1)!;
  }

  async lead(writer: FencedWriter, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const record: ChainRecord = {
        number: this.chain.length,
        previous: madeOf(this.chain.at(-1)),
        made: `${writer.writer} ${this.#run.made++}`,
      };
      const text = JSON.stringify(record);
      const sequence = await writer.append('record', Buffer.from(text));
      this.#run.acknowledge(sequence, text);
      this.#apply(text);
      await sleep(this.clock, RECORD_MS);
    }
  }

  #apply(text: string): void {
    const last = this.chain.at(-1);
    if (last !== undefined) assertContinues(last, text);
    this.chain.push(text);
  }
}

function textOf({ body }: StoredMessage): string {
  return Buffer.from(body).toString();
}

function madeOf(text: string | undefined): string {
  return text === undefined ? '' : (JSON.parse(text) as ChainRecord).made;
}

function assertContinues(before: string, text: string): void {
  const one = JSON.parse(before) as ChainRecord;
  const next = JSON.parse(text) as ChainRecord;
  assert(next.number === one.number + 1 && next.previous === one.made, `${text} behind ${before}`);
}
