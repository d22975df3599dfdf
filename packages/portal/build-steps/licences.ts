/**
 * The licences of bundled scripts and fonts, which ship with the build as `/licences.txt`. Icons and mark are our own.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Rolldown } from 'vite';
import { BuildRefusedError } from './build-refused-error.ts';

const FONTS: Readonly<Record<string, RegExp>> = {
  '@fontsource-variable/inter': /^assets\/inter-.*\.woff2$/,
  '@fontsource-variable/geist-mono': /^assets\/geist-mono-.*\.woff2$/,
};
/** The second pattern covers what Swagger UI bundles. */
const LICENCE_FILES = /^(?:licen[cs]e|notice|copying)|^swagger-ui-es-bundle\.js\.license/i;
const BETWEEN = `\n\n${'-'.repeat(72)}\n\n`;
const require = createRequire(import.meta.url);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

export function licencesText(
  output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[],
): string {
  const bundled = output
    .flatMap((it) => (it.type === 'chunk' ? it.moduleIds : []))
    .flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const fonts = output
    .filter(({ fileName }) => fileName.endsWith('.woff2'))
    .map(({ fileName }) => directoryOfFont(fileName));
  const directories = [...new Set([...bundled, ...fonts])].sort();
  const intro =
    'What others have made and the pages of Tapeloom contain, and its licences. The icons are our own.';
  return `${[intro, ...directories.map(licenceOf)].join(BETWEEN)}\n`;
}

function directoryOfFont(fileName: string): string {
  const found = Object.entries(FONTS).find(([, pattern]) => pattern.test(fileName));
  if (found === undefined) throw new BuildRefusedError(`nobody knows the licence of ${fileName}`);
  return dirname(require.resolve(`${found[0]}/package.json`));
}

function licenceOf(directory: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  ) as Manifest;
  const texts = readdirSync(directory)
    .filter((file) => LICENCE_FILES.test(file))
    .map((file) => readFileSync(join(directory, file), 'utf8').trim());
  if (texts.length === 0) throw new BuildRefusedError(`${name} comes without a licence`);
  return [`${name}@${version}: ${license}`, ...texts].join('\n\n');
}
