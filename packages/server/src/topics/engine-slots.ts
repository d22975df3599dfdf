/**
 * The engines of this process. A contract stays with one engine as long as that runs, so all topics of a contract share
 * one reading of the tape, and the loss of an engine moves only its own contracts. A dataset's tape time is the least
 * watermark of all engines, or the time that a publication proves; it never goes back.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { EngineCommand, EngineLink, EngineMessage, RepairAnswer } from './engine-link.ts';

export interface EngineSlot {
  /** Its index among the engines, counted from 0. */
  readonly index: number;
  readonly link: EngineLink;
  /** The watermarks (`promise`) that this engine last reported, by dataset. */
  readonly watermarks: Map<string, EpochNs>;
  /** Topics queued to warm up, as it last reported. */
  warmUpsWaiting: number;
}

export interface SlotListener {
  hear(slot: EngineSlot, message: EngineMessage): void;
  /** The engine is gone for good, or was replaced. */
  lost(slot: EngineSlot, isReplaced: boolean): void;
}

interface Asked {
  readonly slot: EngineSlot;
  /** Null when the engine is lost. */
  readonly answer: (answer: RepairAnswer | null) => void;
}

export class EngineSlots {
  readonly #listener: SlotListener;
  readonly #slots = new Map<number, EngineSlot>();
  /** Requests that engines have not answered. */
  readonly #asked = new Map<number, Asked>();
  #lastAsked = 0;
  /** By dataset. */
  readonly #reached = new Map<string, EpochNs>();

  constructor(listener: SlotListener) {
    this.#listener = listener;
  }

  get count(): number {
    return this.#slots.size;
  }

  get warmUpsWaiting(): number {
    return this.#slots.values().reduce((sum, slot) => sum + slot.warmUpsWaiting, 0);
  }

  /** A dataset's tape time; null before its first watermark. */
  promiseOf(dataset: string): EpochNs | null {
    return this.#reached.get(dataset) ?? null;
  }

  /** Puts an engine into a slot; the one that was there is lost. */
  connect(index: number, link: EngineLink): void {
    this.disconnect(index);
    const slot: EngineSlot = { index, link, watermarks: new Map(), warmUpsWaiting: 0 };
    this.#slots.set(index, slot);
    link.listen(
      (message) => {
        if (this.#slots.get(index) === slot) this.#listener.hear(slot, message);
      },
      () => {
        if (this.#slots.get(index) !== slot) return;
        this.#slots.delete(index);
        this.#forget(slot);
        this.#listener.lost(slot, false);
      },
    );
  }

  /** Forgets the engine in a slot, if there is one. */
  disconnect(index: number): void {
    const slot = this.#slots.get(index);
    if (slot === undefined) return;
    this.#slots.delete(index);
    this.#forget(slot);
    this.#listener.lost(slot, true);
  }

  /** Has every engine check a repair. Returns the answers of those that were not lost meanwhile. */
  async repair(contract: string): Promise<readonly RepairAnswer[]> {
    const asked = Array.from(this.#slots.values(), (slot) => {
      this.#lastAsked += 1;
      const { promise, resolve } = Promise.withResolvers<RepairAnswer | null>();
      this.#asked.set(this.#lastAsked, { slot, answer: resolve });
      slot.link.send({ t: 'repaired', contract, request: this.#lastAsked });
      return promise;
    });
    return (await Promise.all(asked)).filter((answer) => answer !== null);
  }

  tellAll(command: EngineCommand): void {
    for (const { link } of this.#slots.values()) link.send(command);
  }

  answered(answer: RepairAnswer): void {
    this.#asked.get(answer.request)?.answer(answer);
    this.#asked.delete(answer.request);
  }

  disconnectAll(): void {
    for (const index of [...this.#slots.keys()]) this.disconnect(index);
  }

  /** The engine for a contract: the one with the highest score, which depends on these two alone. */
  pick(contract: string): EngineSlot | null {
    let best: EngineSlot | null = null;
    let bestScore = -1;
    for (const slot of this.#slots.values()) {
      const score = hash(`${slot.index} ${contract}`);
      if (score <= bestScore) continue;
      best = slot;
      bestScore = score;
    }
    return best;
  }

  #forget(lost: EngineSlot): void {
    for (const [request, { slot, answer }] of this.#asked) {
      if (slot !== lost) continue;
      this.#asked.delete(request);
      answer(null);
    }
  }

  /** An engine has reported the watermark of a dataset. */
  advance(slot: EngineSlot, dataset: string, promise: EpochNs): void {
    slot.watermarks.set(dataset, promise);
    let least = promise;
    for (const { watermarks } of this.#slots.values()) {
      const one = watermarks.get(dataset) ?? promise;
      if (one < least) least = one;
    }
    this.reach(dataset, least);
  }

  /** A publication of an engine proves that a dataset's tape time has reached this instant. */
  reach(dataset: string, instant: EpochNs): void {
    const reached = this.#reached.get(dataset);
    if (reached === undefined || instant > reached) this.#reached.set(dataset, instant);
  }
}

/** FNV-1a with a final mix, so that names that differ in one letter spread evenly. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
