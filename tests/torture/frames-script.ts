/**
 * The bytes that one connection of the frame torture sends: valid frames, one fault among them,
 * damaged bytes, or noise. A judge derives what must happen from the bytes alone.
 */

import {
  closeFrame,
  OPCODE,
  type WireFrame,
  wireFrame,
} from '../../packages/server/testing/stream/wire-frame.ts';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import { clientText } from './frames-messages.ts';

export const SCRIPT_KINDS = ['sound', 'faulty', 'damaged', 'noise', 'flood', 'fragments'] as const;
export type ScriptKind = (typeof SCRIPT_KINDS)[number];

export interface FrameScript {
  readonly kind: ScriptKind;
  readonly bytes: Buffer;
  readonly frames: number;
  /** Contains subscriptions, which delay the messages after them. */
  readonly isSubscribing: boolean;
}

/** Below the burst limit, since damage may add messages. */
const COUNTED_MAX = 90;
/** Half of the connections send at most this many. */
const FEW = 12;
const FLOOD = 400;
const FRAGMENTS_OVER = 1_025;
/** Shares of the kinds, rarest first: floods and fragments close with 1008. */
const SHARES: readonly (readonly [ScriptKind, number])[] = [
  ['flood', 0.003],
  ['fragments', 0.003],
  ['noise', 0.03],
  ['damaged', 0.18],
  ['faulty', 0.35],
];

export function frameScript(random: Random): FrameScript {
  const kind = kindOf(random());
  const isSubscribing = random() < 0.2;
  if (kind === 'noise') {
    return { kind, bytes: noise(random, 2 + whole(random, 600)), frames: 1, isSubscribing: false };
  }
  if (kind === 'flood') {
    const frames = Array.from({ length: FLOOD }, () => control(random));
    return script(kind, [...frames, closeFrame(1000)], false);
  }
  const frames = soundFrames(random, isSubscribing, kind === 'fragments' ? 20 : COUNTED_MAX);
  if (kind === 'faulty') frames.splice(whole(random, frames.length + 1), 0, ...fault(random));
  if (kind === 'fragments') frames.push(...manyFragments(random));
  frames.push(goodbye(random));
  const sound = script(kind, frames, isSubscribing);
  return kind === 'damaged' ? { ...sound, bytes: damaged(random, sound.bytes) } : sound;
}

/** Positions that divide the bytes into packets. */
export function cutsOf(random: Random, bytes: number): readonly number[] {
  if (random() < 0.7) return [];
  const count = 1 + whole(random, 6);
  return Array.from({ length: count }, () => whole(random, bytes)).sort((a, b) => a - b);
}

function kindOf(dice: number): ScriptKind {
  let sum = 0;
  for (const [kind, share] of SHARES) {
    sum += share;
    if (dice < sum) return kind;
  }
  return 'sound';
}

function script(kind: ScriptKind, frames: readonly Buffer[], isSubscribing: boolean): FrameScript {
  return { kind, bytes: Buffer.concat(frames), frames: frames.length, isSubscribing };
}

function soundFrames(random: Random, isSubscribing: boolean, countedMax: number): Buffer[] {
  const frames: Buffer[] = [];
  const count = 1 + whole(random, random() < 0.5 ? FEW : countedMax);
  for (let counted = 0; counted < count; ) {
    if (random() < 0.2) {
      frames.push(control(random));
      counted += 1;
      continue;
    }
    const text = Buffer.from(clientText(random, isSubscribing));
    if (random() < 0.6) frames.push(masked(random, { opcode: OPCODE.text, payload: text }));
    else counted += fragmented(random, text, frames, count - counted);
    counted += 1;
  }
  return frames;
}

/** Fragments a text at random bytes, with control frames between; returns their number. */
function fragmented(random: Random, text: Buffer, frames: Buffer[], controlsMax: number): number {
  const count = 2 + whole(random, 4);
  const cuts = Array.from({ length: count - 1 }, () => whole(random, text.length + 1));
  cuts.sort((a, b) => a - b);
  let controls = 0;
  let from = 0;
  for (const [index, cut] of [...cuts, text.length].entries()) {
    const opcode = index === 0 ? OPCODE.text : OPCODE.continuation;
    const payload = text.subarray(from, cut);
    frames.push(masked(random, { opcode, payload, fin: index === count - 1 }));
    from = cut;
    if (index === count - 1 || controls + 1 >= controlsMax || random() < 0.8) continue;
    frames.push(control(random));
    controls += 1;
  }
  return controls;
}

function control(random: Random): Buffer {
  const opcode = random() < 0.7 ? OPCODE.ping : OPCODE.pong;
  return masked(random, {
    opcode,
    payload: noise(random, whole(random, random() < 0.1 ? 126 : 9)),
  });
}

function goodbye(random: Random): Buffer {
  const dice = random();
  if (dice < 0.8) return closeFrame(1000, dice < 0.4 ? '' : 'done');
  if (dice < 0.9) return closeFrame(3000 + whole(random, 2_000), 'é');
  return wireFrame({ opcode: OPCODE.close });
}

/** One or two invalid frames. */
function fault(random: Random): readonly Buffer[] {
  const { text, continuation, binary, close, ping } = OPCODE;
  const payload = noise(random, whole(random, 20));
  const one = (frame: WireFrame) => [masked(random, frame)];
  const faults: readonly (() => readonly Buffer[])[] = [
    () => one({ opcode: whole(random, 16), rsv: 1 + whole(random, 7), payload }),
    () => one({ opcode: pick(random, [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), payload }),
    () => [wireFrame({ opcode: whole(random, 11), payload, mask: null })],
    () => one({ opcode: binary, payload }),
    () => one({ opcode: text, payload: Buffer.concat([payload, Buffer.from([0xff])]) }),
    () => [
      ...one({ opcode: text, payload: Buffer.from([0xe2, 0x82]), fin: false }),
      ...one({ opcode: continuation, payload: Buffer.from('x') }),
    ],
    () => one({ opcode: text, payload: Buffer.alloc(65_537, ' ') }),
    () => one({ opcode: text, length: 2n ** BigInt(17 + whole(random, 47)), lengthBytes: 9 }),
    () => [
      ...one({ opcode: text, payload: Buffer.alloc(40_000, ' '), fin: false }),
      ...one({ opcode: continuation, payload: Buffer.alloc(25_537, ' ') }),
    ],
    () => one({ opcode: continuation, payload, fin: random() < 0.5 }),
    () => [...one({ opcode: text, payload: '{', fin: false }), ...one({ opcode: text, payload })],
    () => one({ opcode: ping, payload: Buffer.alloc(126) }),
    () => one({ opcode: pick(random, [8, 9, 10]), fin: false }),
    () => one({ opcode: close, payload: noise(random, 1) }),
    () => [closeFrame(pick(random, [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535]))],
    () => [closeFrame(1000, Buffer.from([0xc3, 0x28]))],
  ];
  return pick(random, faults)();
}

function manyFragments(random: Random): readonly Buffer[] {
  return Array.from({ length: FRAGMENTS_OVER }, (_, index) =>
    masked(random, {
      opcode: index === 0 ? OPCODE.text : OPCODE.continuation,
      payload: ' ',
      fin: false,
    }),
  );
}

/** Changes, drops or doubles a few bytes, or cuts the end off. */
function damaged(random: Random, bytes: Buffer): Buffer {
  let result = Buffer.from(bytes);
  for (let hits = 1 + whole(random, 3); hits > 0 && result.length > 1; hits -= 1) {
    const at = whole(random, result.length);
    const dice = random();
    if (dice < 0.6) result[at]! ^= 1 << whole(random, 8);
    else if (dice < 0.75) result = Buffer.concat([result.subarray(0, at), result.subarray(at + 1)]);
    else if (dice < 0.9) result = Buffer.concat([result.subarray(0, at + 1), result.subarray(at)]);
    else result = result.subarray(0, at);
  }
  return result;
}

function masked(random: Random, frame: WireFrame): Buffer {
  return wireFrame({ ...frame, mask: noise(random, 4) });
}

function noise(random: Random, bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, () => whole(random, 256)));
}

function whole(random: Random, below: number): number {
  return Math.trunc(random() * below);
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[whole(random, all.length)]!;
}
