/**
 * The tape under SIGKILL at full load, also during recovery. The feeder never resends an
 * acknowledged trade. In the end trades, ranks, stamps, sealed bytes and study objects equal an
 * undisturbed run; the number of trades equals the feeder's ledger. SIGKILL spares the page cache,
 * so as many rounds use a simulated disk that drops or tears unsynced writes.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { verifyTape } from '@tapeloom/server/tape/inspect/verify-tape';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { assertSurvives, type Trouble } from '../../packages/server/testing/tape/crash-run.ts';
import { SCRIPT_SYMBOLS } from '../../packages/server/testing/tape/feed-script.ts';
import {
  DATASET,
  openSimTape,
  tapeRows,
} from '../../packages/server/testing/tape/tape-on-sim-disk.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { type Random, SimDisk } from '../../simulation/disk/sim-disk.ts';
import { FEEDER_PACE, FeederScript } from './tape-feeder-script.ts';
import { studyObjects } from './tape-studies.ts';

/** Kills that one tape survives before it is compared and the next one starts. */
const ROUNDS_PER_TAPE = 25;
const LOAD_MS_MAX = 150;
const START_MS_MAX = 400;
const OPERATIONS_MAX = 300;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const seed = Date.now() % 2 ** 31;
  console.log(`seed ${seed}`);
  for (let done = 0; done < rounds; done += ROUNDS_PER_TAPE) {
    const kills = Math.min(ROUNDS_PER_TAPE, rounds - done);
    const { offers, trades, days } = await killRounds(seed + done, kills);
    const size = `${offers} offers, ${trades} trades, ${days} days`;
    console.log(`${done + kills} of ${rounds} kills survived (${size}, all identical)`);
  }
  await powerRounds(seed, rounds);
}

async function killRounds(seed: number, kills: number) {
  const root = mkdtempSync(join(tmpdir(), 'tapeloom-torture-'));
  try {
    const ledgerPath = join(root, 'ledger');
    const tapeRoot = join(root, 'tape');
    await feedUnderKills(seed, kills, { tapeRoot, ledgerPath, socketPath: join(root, 'socket') });
    const ledger = readLedger(ledgerPath);
    const content = await contentOfDirectory(tapeRoot);
    assert.deepEqual(content, await contentUndisturbed(seed, ledger.offers));
    assert.equal(content.trades, ledger.trades, 'the ledger knows another number of trades');
    for await (const event of verifyTape(new NodeDisk(), tapeRoot)) {
      assert.equal(event.type, 'file', JSON.stringify(event));
    }
    return { ...ledger, days: content.days };
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function feedUnderKills(
  seed: number,
  kills: number,
  paths: { readonly tapeRoot: string; readonly ledgerPath: string; readonly socketPath: string },
): Promise<void> {
  const { tapeRoot, ledgerPath, socketPath } = paths;
  const random = seededRandom(seed);
  const feeder = start('tape-feeder.ts', [socketPath, ledgerPath, String(seed)]);
  const fed = once(feeder, 'exit');
  for (let kill = 0; kill < kills; kill++) {
    const ingest = start('tape-ingest.ts', [tapeRoot, socketPath]);
    const exit = once(ingest, 'exit');
    await untilKill(ingest, random);
    assert.equal(ingest.exitCode, null, 'the ingest process ended by itself');
    ingest.kill('SIGKILL');
    await exit;
  }
  const ingest = start('tape-ingest.ts', [tapeRoot, socketPath]);
  const exit = once(ingest, 'exit');
  await once(ingest, 'message');
  feeder.send('stop');
  assert.deepEqual(await fed, [0, null]);
  ingest.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
}

/** Waits for a moment to kill: mostly under load, sometimes during start, recovery or sealing. */
async function untilKill(ingest: ChildProcess, random: Random): Promise<void> {
  if (random() < 0.2) {
    await wait(random() * START_MS_MAX);
  } else {
    await once(ingest, 'message');
    await wait(random() * LOAD_MS_MAX);
  }
}

function start(file: string, args: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, file), args);
}

/** Reads the ledger: one line per acknowledged offer, then the sums. */
function readLedger(path: string): { readonly offers: number; readonly trades: number } {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const sums = JSON.parse(lines.pop()!);
  assert.equal(new Set(lines).size, lines.length);
  assert.equal(lines.length, sums.offers);
  return sums;
}

async function contentOfDirectory(tapeRoot: string) {
  await using tape = await openTape({
    disk: new NodeDisk(),
    tapeRoot,
    dataset: DATASET,
    listed: () => SCRIPT_SYMBOLS,
    now: () => {
      throw new Error('nothing is offered');
    },
    onFailure: (error) => {
      throw error;
    },
  });
  await tape.intake.sealed();
  return contentOf(tape);
}

async function contentUndisturbed(seed: number, offers: number) {
  await using tape = await openSimTape(new SimDisk().boot());
  const script = new FeederScript(seed, FEEDER_PACE);
  const pending: Promise<unknown>[] = [];
  while (script.offers < offers) {
    if (script.offers === offers - 1) script.stop();
    const { batches, promise, notes } = script.next()!;
    pending.push(tape.intake.offer(batches, promise, notes));
    await tape.intake.offer([], null);
  }
  await Promise.all(pending);
  await tape.intake.sealed();
  return contentOf(tape);
}

/** Everything that a reader can read from the tape, as digests. */
async function contentOf({ intake, tape }: Awaited<ReturnType<typeof openTape>>) {
  const promise = intake.promise!;
  const digests: Record<string, string> = {};
  let trades = 0;
  let days = 0;
  for (const symbol of SCRIPT_SYMBOLS) {
    const rows = await tapeRows(tape, symbol);
    const list = await tape.days(symbol);
    trades += rows.length;
    days = list.length;
    digests[`${symbol} trades`] = digest(rows);
    digests[`${symbol} days`] = digest(list);
    digests[`${symbol} last number`] = String(intake.lastId(symbol));
    for (const [id, objects] of await studyObjects(tape, symbol, list[0]!.day, promise)) {
      digests[`${symbol} ${id}`] = digest(objects);
    }
  }
  return { promise, trades, days, digests };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

async function powerRounds(seed: number, rounds: number): Promise<void> {
  const random = seededRandom(seed);
  const pick = <T>(...choices: readonly T[]) => choices[Math.floor(random() * choices.length)]!;
  for (let done = 0; done < rounds; done += ROUNDS_PER_TAPE) {
    const troubles = Array.from(
      { length: Math.min(ROUNDS_PER_TAPE, rounds - done) },
      (): Trouble => {
        const operation = 1 + Math.floor(random() * OPERATIONS_MAX);
        const fault = pick('halt', 'halt', 'halt', 'fail', 'full');
        return { operation, fault, end: pick('power', 'torn', 'torn', 'kill') };
      },
    );
    const pace = { batchRowsMax: 100, offersPerDay: 30 };
    await assertSurvives({ seed: seed + done, pace, offers: 700, troubles, window: 12 });
    console.log(`${done + troubles.length} of ${rounds} losses of power survived`);
  }
}
