/**
 * Many connections send generated frames to a stream. An independent judge of RFC 6455 and the
 * limits gives the expected close code and pongs. Each `ping` message gets its `pong` in order,
 * each text is one JSON object, and nothing follows a close frame.
 */

import assert from 'node:assert/strict';
import {
  type FrameVerdict,
  judgeFrames,
} from '../../packages/server/testing/stream/frame-judge.ts';
import {
  type Conversation,
  type ConversationManner,
  converse,
} from '../../packages/server/testing/stream/raw-conversation.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import { pongsOwed } from './frames-messages.ts';
import { cutsOf, type FrameScript, frameScript } from './frames-script.ts';

/** Messages and control frames that may come at once. */
const BURST = 100;
const FLOOD = 390;
const UNAUTHORIZED = 4001;
/** Bytes to show of a failed connection; the seed reproduces the rest. */
const BYTES_SHOWN = 1_500;
const RATE = 1008;

export interface FuzzTarget {
  readonly port: number;
  /** Valid keys, one an account; each has one connection open at a time. */
  readonly keys: readonly string[];
}

export interface FuzzProgress {
  frames: number;
  connections: number;
  bytes: number;
  /** Received texts. */
  answers: number;
  /** Connections by kind of script and by end. */
  readonly outcomes: Map<string, number>;
  /** Connections by close code, null for those without a close frame. */
  readonly closes: Map<number | null, number>;
}

type Proof = 'key' | 'none' | 'bad key';

/** Sends at least this many frames, the same for the same seed. `onStep` is called after every connection. */
export async function fuzzFrames(
  target: FuzzTarget,
  frames: number,
  seed: number,
  onStep: (progress: FuzzProgress) => void = () => {},
): Promise<FuzzProgress> {
  const progress: FuzzProgress = {
    frames: 0,
    connections: 0,
    bytes: 0,
    answers: 0,
    outcomes: new Map(),
    closes: new Map(),
  };
  const share = Math.ceil(frames / target.keys.length);
  const work = async (key: string, index: number) => {
    const random = seededRandom(seed + index);
    for (let sent = 0; sent < share; ) {
      const script = frameScript(random);
      sent += script.frames;
      progress.frames += script.frames;
      await oneConnection(target.port, key, script, random, progress);
      onStep(progress);
    }
  };
  await Promise.all(target.keys.map(work));
  return progress;
}

async function oneConnection(
  port: number,
  key: string,
  script: FrameScript,
  random: Random,
  progress: FuzzProgress,
): Promise<void> {
  const proof = proofOf(random());
  const verdict = judgeFrames(script.bytes);
  const manner = mannerOf(script, verdict, proof, random);
  const headers = headersOf(proof, key);
  const got = await converse({ port, headers }, script.bytes, manner);
  try {
    check(script, verdict, proof, manner, got);
  } catch (error) {
    const { kind, frames, bytes } = script;
    const expected = {
      close: verdict.close,
      counted: verdict.counted,
      pings: verdict.pings.length,
    };
    const about = { kind, proof, frames, manner, expected, closed: got.close, reason: got.reason };
    const sent = bytes.toString('base64', 0, BYTES_SHOWN);
    throw new Error(`${JSON.stringify(about)}\nsent ${sent}`, { cause: error });
  }
  const who = proof === 'key' ? script.kind : proof;
  // All close codes of the client's own choice share one label.
  const isOwn = got.close === verdict.close && got.close !== null && got.close >= 3_000;
  const label = `${who.padEnd(9)} ${isOwn ? 'its own' : (got.close ?? 'cut')}`;
  progress.connections += 1;
  progress.bytes += script.bytes.length;
  progress.answers += got.texts.length;
  progress.outcomes.set(label, (progress.outcomes.get(label) ?? 0) + 1);
  progress.closes.set(got.close, (progress.closes.get(got.close) ?? 0) + 1);
}

function proofOf(dice: number): Proof {
  return dice < 0.02 ? 'none' : dice < 0.03 ? 'bad key' : 'key';
}

function headersOf(proof: Proof, key: string): readonly string[] {
  if (proof === 'none') return [];
  return [`Authorization: Bearer ${proof === 'key' ? key : `${key}x`}`];
}

function mannerOf(
  { bytes }: FrameScript,
  { close }: FrameVerdict,
  proof: Proof,
  random: Random,
): ConversationManner {
  const cuts = cutsOf(random, bytes.length);
  const dice = random();
  // Without a reason to close, the server waits for more: the client has to end the connection.
  if (close === null) return { cuts, waitsForPongs: proof === 'key', goodbye: 'end' };
  const goodbye = dice < 0.01 ? 'stay' : dice < 0.1 && proof === 'key' ? 'end' : 'polite';
  return { cuts, waitsForPongs: proof === 'key' && random() < 0.8, goodbye };
}

function check(
  script: FrameScript,
  verdict: FrameVerdict,
  proof: Proof,
  { waitsForPongs }: ConversationManner,
  got: Conversation,
): void {
  assert.match(got.head, /^HTTP\/1\.1 101 /);
  assert.deepEqual(got.others, [], 'only texts and pongs');
  const messages = got.texts.map((text) => JSON.parse(text) as { t: string; id?: unknown });
  for (const message of messages) assert.equal(typeof message.t, 'string');
  const allowed = allowedCodes(verdict, proof);
  assert.ok(allowed.includes(got.close), `closed with ${got.close}, allowed is ${allowed}`);
  const isWhole = got.close === verdict.close;
  assertPart(got.pongs, verdict.pings, isWhole);
  const owed = pongsOwed(verdict.texts);
  const pongs = messages.filter(({ t }) => t === 'pong').map(({ id }) => id);
  // Unless the client waits for pongs, its key may still be looked up when the connection ends.
  assertPart(pongs, owed, isWhole && waitsForPongs === true && !script.isSubscribing);
}

function allowedCodes(verdict: FrameVerdict, proof: Proof): readonly (number | null)[] {
  const { close, counted, texts } = verdict;
  // The first `ping` of a waiting client counts too.
  const limited = counted + 1 > BURST ? [RATE] : [];
  if (proof === 'bad key' || (proof === 'none' && texts.length > 0)) {
    return [UNAUTHORIZED, close, ...limited];
  }
  // Beyond `FLOOD` the limit always closes, unless sending takes over a quarter of a minute.
  return counted > FLOOD ? limited : [close, ...limited];
}

/** Expects everything owed when the end was as judged, else its beginning. */
function assertPart(got: readonly unknown[], owed: readonly unknown[], isWhole: boolean): void {
  assert.deepEqual(got, isWhole ? owed : owed.slice(0, got.length));
}
