/** Lists the drawings of the documentation as files below `docs/drawings/`. */

import { docsPath } from '../docs-path.ts';
import { ACCOUNT_DRAWINGS } from './account-drawings.ts';
import { CLUSTER_DRAWINGS } from './cluster-drawings.ts';
import { type Drawing, svgOf } from './drawing.ts';
import { STREAM_DRAWINGS } from './stream-drawings.ts';
import { TAPE_DRAWINGS } from './tape-drawings.ts';

export const DRAWINGS: readonly Drawing[] = Object.values({
  ...TAPE_DRAWINGS,
  ...STREAM_DRAWINGS,
  ...ACCOUNT_DRAWINGS,
  ...CLUSTER_DRAWINGS,
});

export interface DrawingFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export function drawingFiles(): readonly DrawingFile[] {
  return DRAWINGS.map((drawing) => ({
    name: drawing.name,
    path: docsPath(`drawings/${drawing.name}.svg`),
    text: svgOf(drawing),
  }));
}
