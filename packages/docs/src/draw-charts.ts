/** `npm run charts`: redraws the charts and drawings of the documentation. A test fails on a stale one. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { chartFiles } from './charts/chart-files.ts';
import { drawingFiles } from './drawings/drawing-files.ts';

for (const { path, text } of [...drawingFiles(), ...chartFiles()]) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${path}, ${(text.length / 1_024).toFixed(1)} KB`);
}
