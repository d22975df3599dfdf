/**
 * The flush edges of a stream (rules DET-07, DET-08). Every whole second of tape time is an edge. The encoded size of
 * the objects forming there sets the step of the next second: the smallest one that keeps publishing them all at every
 * edge within the budget. Edges inside a second are a step apart, shifted by the topic's phase, so that topics do not
 * flush at the same time. Nothing else is remembered: every reader of the tape, from any start, finds the same edges.
 */

import type { EpochNs } from '../numbers.ts';
import { SECOND_NS } from '../units.ts';
import type { IndicatorDefinition, Params } from './indicator.ts';
import { canonicalText } from './params.ts';

/** The smallest step of tape time between two flushes. */
export const FLUSH_STEP_NS = 20_000_000;
/** The bandwidth budget for the forming objects of one topic, per second. */
export const FLUSH_BYTES_PER_SECOND = 65_536;

/** All divide a second, so each whole second is an edge for every step. */
const STEPS_NS = [FLUSH_STEP_NS, 40_000_000, 100_000_000, 200_000_000, 500_000_000];
/** A step is shifted by thousandths of it; each is a whole number of nanoseconds. */
const PHASES = 1_000;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The shift of a topic's edges in thousandths of a step, from half a step back to half a step ahead. */
export function flushPhase(
  contract: string,
  indicator: IndicatorDefinition,
  params: Params,
): number {
  const topic = `${contract}/${indicator.id}?${canonicalText(indicator, params)}`;
  let hash = FNV_OFFSET;
  for (let at = 0; at < topic.length; at += 1) {
    hash = Math.imul(hash ^ topic.charCodeAt(at), FNV_PRIME);
  }
  return ((hash >>> 0) % PHASES) - PHASES / 2;
}

/** The first edge after `ns`, a time of day in a second with this step. */
export function flushEdgeAfter(ns: number, stepNs: number, phase: number): number {
  const secondNs = ns - (ns % SECOND_NS);
  const movedNs = (stepNs / PHASES) * phase;
  const step = Math.max(1, Math.floor((ns - secondNs - movedNs) / stepNs) + 1);
  return secondNs + (step * stepNs < SECOND_NS ? step * stepNs + movedNs : SECOND_NS);
}

/** The step of a second at whose start the forming objects have this size. */
export function flushStepNs(formingBytes: number): number {
  for (const stepNs of STEPS_NS) {
    if (formingBytes * (SECOND_NS / stepNs) <= FLUSH_BYTES_PER_SECOND) return stepNs;
  }
  return SECOND_NS;
}

/** The last whole second of tape time at or before an instant. */
export function wholeSecond(instant: EpochNs): EpochNs {
  return (instant - (instant % BigInt(SECOND_NS))) as EpochNs;
}
