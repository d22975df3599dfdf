/** The drawings of the documentation, as files below `docs/drawings/`. */

import { docsPath } from '../docs-path.ts';
import * as account from './account-drawings.ts';
import { type Drawing, svgOf } from './drawing.ts';
import * as stream from './stream-drawings.ts';
import * as tape from './tape-drawings.ts';

export const DRAWINGS: readonly Drawing[] = Object.values({ ...tape, ...stream, ...account });

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
