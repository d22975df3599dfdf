/** The drawings of the documentation, as files below `docs/drawings/`. */

import { fileURLToPath } from 'node:url';
import { COSTS, TEST_KEYS } from './account-drawings.ts';
import { type Drawing, svgOf } from './drawing.ts';
import { CONFIRMED, DELAY, FINAL, RESUME, SLOW_READERS } from './stream-drawings.ts';
import { CURSOR, LIVE_IS_HISTORY, ROLLS, SESSIONS } from './tape-drawings.ts';

export const DRAWINGS: readonly Drawing[] = [
  CURSOR,
  FINAL,
  CONFIRMED,
  RESUME,
  LIVE_IS_HISTORY,
  DELAY,
  ROLLS,
  SESSIONS,
  COSTS,
  TEST_KEYS,
  SLOW_READERS,
];

export interface DrawingFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export function drawingFiles(): readonly DrawingFile[] {
  return DRAWINGS.map((drawing) => ({
    name: drawing.name,
    path: fileURLToPath(new URL(`../../../../docs/drawings/${drawing.name}.svg`, import.meta.url)),
    text: svgOf(drawing),
  }));
}
