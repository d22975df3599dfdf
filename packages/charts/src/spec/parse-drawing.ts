/** Reads a drawing that anyone may have written; null if its place cannot be read. */

import { boundedName, boundedNs, boundedText, type Fields, isFields } from './bounded-values.ts';
import type { Drawing, DrawingPoint } from './drawing.ts';

const SPANS = ['trend', 'rectangle', 'measure', 'range'] as const;

export function parseDrawing(value: unknown): Drawing | null {
  if (!isFields(value)) return null;
  const named = { key: boundedName(value.key) ?? '', text: boundedText(value.text) };
  if (value.kind === 'line') {
    const ticks = ticksOf(value.ticks);
    return ticks === null ? null : { ...named, kind: 'line', ticks };
  }
  if (value.kind === 'text') {
    const at = pointOf(value.at);
    return at === null ? null : { ...named, kind: 'text', at };
  }
  const kind = SPANS.find((it) => it === value.kind);
  return kind === undefined ? null : spanOf(value, { ...named, kind });
}

function spanOf(
  value: Fields,
  named: { readonly key: string; readonly text: string; readonly kind: (typeof SPANS)[number] },
): Drawing | null {
  const [from, to] = [pointOf(value.from), pointOf(value.to)];
  return from === null || to === null ? null : { ...named, from, to };
}

function pointOf(value: unknown): DrawingPoint | null {
  if (!isFields(value)) return null;
  const [ns, ticks] = [boundedNs(value.ns), ticksOf(value.ticks)];
  return ns === null || ticks === null ? null : { ns, ticks };
}

/** With Alt a drawing stands between ticks. */
function ticksOf(value: unknown): number | null {
  const isPrice = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isPrice ? value + 0 : null;
}
