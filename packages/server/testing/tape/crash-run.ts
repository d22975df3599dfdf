/**
 * A tape is fed while its machine crashes repeatedly, and must equal an undisturbed run: trades, ranks, stamps,
 * watermark, notes and sealed bytes. The source never repeats an acknowledged offer, so a lost one stays lost.
 */

import assert from 'node:assert/strict';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { type DiskOperation, type Fault, SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { LogCheck } from '../../src/tape/inspect/log-check.ts';
import { verifyManifest } from '../../src/tape/inspect/verify-manifest.ts';
import { verifyTape } from '../../src/tape/inspect/verify-tape.ts';
import { readManifest } from '../../src/tape/tape-manifest.ts';
import { dayOfFile, logDirectory, logPath } from '../../src/tape/tape-paths.ts';
import { readLog } from '../../src/tape/write/log/log-recovery.ts';
import type { OpenTape } from '../../src/tape/write/open-tape.ts';
import { feedScript, SCRIPT_SYMBOLS, type ScriptedOffer, type ScriptPace } from './feed-script.ts';
import { allDays, allTapeRows, DATASET, openSimTape, TAPE_ROOT } from './tape-on-sim-disk.ts';

/** What ends one life of the process. */
export interface Trouble {
  /** The index of the failing operation in that life. */
  readonly operation: number;
  readonly fault: Fault;
  /** How the process ends: alone, with the machine's power, or with torn writes. */
  readonly end: 'kill' | 'power' | 'torn';
}

export interface CrashRun {
  readonly seed: number;
  readonly pace: ScriptPace;
  readonly offers: number;
  readonly troubles: readonly Trouble[];
  /** Offers in flight at a time. */
  readonly window: number;
  /** The operations, retries included, that fail as `busy`; default: none. */
  readonly busy?: (operation: DiskOperation, path: string) => boolean;
}

/** After a fault of these, the content of the disk is uncertain. */
const DOUBTFUL: readonly DiskOperation[] = ['write', 'sync', 'truncate'];

/** Throws if the tape differs from that of an undisturbed run. */
export async function assertSurvives(run: CrashRun): Promise<void> {
  const script = feedScript(run.seed, run.pace);
  const offers = Array.from({ length: run.offers }, () => script.next().value);
  const random = seededRandom(run.seed + 1);
  const machine = new SimDisk();
  const feeder = new Feeder(offers);
  for (const trouble of [...run.troubles, null]) {
    if (await live(machine, feeder, trouble, run)) break;
    if (trouble?.end === 'kill') machine.kill();
    else machine.crash(trouble?.end === 'torn' ? random : null);
    await assertNamed(machine);
  }
  const calm = new SimDisk();
  await live(calm, new Feeder(offers), null, { window: 1 });
  assert.deepEqual(await contentOf(machine), await contentOf(calm));
  assert.deepEqual(sealedFiles(machine), sealedFiles(calm));
  const manifests = [machine, calm].map((one) => readManifest(one.boot(), TAPE_ROOT, DATASET));
  assert.deepEqual(await manifests[0], await manifests[1]);
  for await (const event of verifyTape(machine.boot(), TAPE_ROOT)) {
    assert.equal(event.type, 'file', JSON.stringify(event));
  }
}

class Feeder {
  readonly #offers: readonly ScriptedOffer[];
  readonly #acknowledged = new Set<number>();

  constructor(offers: readonly ScriptedOffer[]) {
    this.#offers = offers;
  }

  /** Feeds until everything is acknowledged or held for a day that never comes; rejects when the tape does. */
  async run(tape: OpenTape, window: number): Promise<void> {
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {});
    for (const [index, offer] of this.#offers.entries()) {
      if (this.#acknowledged.has(index)) continue;
      const taken = tape.intake.offer(offer.batches, offer.promise, offer.notes);
      taken.then(() => this.#acknowledged.add(index)).catch(failed.reject);
      if (index % window === window - 1) {
        await Promise.race([tape.intake.offer([], null), failed.promise]);
      }
    }
    await Promise.race([tape.intake.offer([], null), failed.promise]);
    await tape.intake.sealed();
  }
}

/** One life of the process: until it is done (true) or its trouble ends it. */
async function live(
  machine: SimDisk,
  feeder: Feeder,
  trouble: Trouble | null,
  { window, busy }: Pick<CrashRun, 'window' | 'busy'>,
): Promise<boolean> {
  let left = trouble?.operation ?? -1;
  machine.faults = (operation, path) => {
    if (left-- === 0 && trouble !== null) return trouble.fault;
    return !DOUBTFUL.includes(operation) && busy?.(operation, path) === true ? 'busy' : null;
  };
  const disk = machine.boot();
  const life = async () => {
    const tape = await openSimTape(disk);
    await feeder.run(tape, window);
    await tape[Symbol.asyncDispose]();
    return true;
  };
  // Only a planned fault may end a life; any other error is a bug of the tape.
  const ended = life().catch((error: unknown) => {
    if (left >= 0 || trouble === null) throw error;
    return false;
  });
  const isDone = await Promise.race([ended, machine.halted.then(() => false)]);
  machine.faults = () => null;
  return isDone;
}

/** Checks the manifest that a process left: all it names exists, and it names every log with more than its opening. */
async function assertNamed(machine: SimDisk): Promise<void> {
  const disk = machine.boot();
  for await (const event of verifyManifest(disk, TAPE_ROOT, DATASET)) {
    assert.notEqual(event.type, 'finding', JSON.stringify(event));
  }
  const named = await readManifest(disk, TAPE_ROOT, DATASET);
  for (const name of await disk.list(logDirectory(TAPE_ROOT, DATASET))) {
    const day = dayOfFile(name, 'log');
    if (day === null || named?.logs.has(day) === true) continue;
    const isSealed = SCRIPT_SYMBOLS.every((symbol) => named?.days.get(symbol)?.has(day) === true);
    const { end } = await readLog(disk, logPath(TAPE_ROOT, DATASET, day), new LogCheck());
    assert.ok(isSealed || end.records === 1, `${name} is not named`);
  }
}

async function contentOf(machine: SimDisk) {
  await using tape = await openSimTape(machine.boot());
  const { promise } = tape.intake;
  const notes = tape.publisher.days.at(-1)?.notes.all;
  return { promise, notes, days: await allDays(tape.tape), rows: await allTapeRows(tape.tape) };
}

/** Sealed days with their bytes, which must be equal too. */
function sealedFiles(machine: SimDisk): readonly (readonly [path: string, base64: string])[] {
  const prefix = `${TAPE_ROOT}/${DATASET}/days/`;
  return machine
    .files()
    .filter((path) => path.startsWith(prefix))
    .map((path) => [path, Buffer.from(machine.bytes(path)!).toString('base64')]);
}
