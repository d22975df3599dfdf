/**
 * `npm run pin-images`: writes the digests of public images into the files of `deploy/`, so that later builds start
 * from the same bytes, each computed from the registry's bytes. `--check` reports unpinned images, and exits with 1.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageRegistry, pinnedText, unpinnedImages } from './images/pin-text.ts';
import { registryDigest } from './images/registry-digest.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = ['deploy/Containerfile', 'deploy/compose.yaml'];

const isCheck = process.argv.includes('--check');
const digestOf: ImageRegistry = (image) => registryDigest(image);
for (const file of FILES) {
  const path = join(ROOT, file);
  const text = readFileSync(path, 'utf8');
  if (isCheck) {
    const unpinned = unpinnedImages(text);
    for (const image of unpinned) console.error(`${file}: ${image} is not pinned by its digest`);
    if (unpinned.length > 0) process.exitCode = 1;
    continue;
  }
  const pinned = await pinnedText(text, digestOf);
  if (pinned !== text) writeFileSync(path, pinned);
  console.log(`${file}: ${pinned === text ? 'nothing has changed' : 'pinned'}`);
}
