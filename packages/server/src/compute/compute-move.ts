/** What of an answer moves to another thread instead of being copied: whatever memory its blocks are in. */

import type { DaysPage } from '../results/settled-days.ts';
import type { ComputeAnswer } from './compute-wire.ts';

export function movesOf(answer: ComputeAnswer): readonly ArrayBuffer[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if ('parts' in answer) return ofDays(answer);
  return 'blocks' in answer ? answer.blocks.map(({ memory }) => memory) : [];
}

function ofDays({ parts, frames }: DaysPage): readonly ArrayBuffer[] {
  const blocks = parts.flatMap(({ blocks, tail }) => (tail === null ? blocks : [...blocks, tail]));
  return [frames.buffer, ...blocks.map(({ memory }) => memory)];
}
