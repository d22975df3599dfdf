/** Runs the client's tests that need nothing of Node in a page of Chromium. */

import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { launchChromium } from '../headless-chromium.ts';
import type { CompiledTest } from './compiled-suite.ts';
import type { PageResult } from './page-test.ts';

const asserting = fileURLToPath(import.meta.resolve('./page-assert.ts'));

/** What replaces a module of Node in a page. */
const stands: Readonly<Record<string, string>> = {
  'node:test': fileURLToPath(import.meta.resolve('./page-test.ts')),
  'node:assert/strict': 'virtual:assert',
  'node:timers/promises': fileURLToPath(import.meta.resolve('./page-timers.ts')),
};

export function runsInPage({ needs }: CompiledTest): boolean {
  return needs.every((name) => stands[name] !== undefined || !name.startsWith('node:'));
}

export async function runInChromium(
  tests: readonly CompiledTest[],
): Promise<readonly PageResult[]> {
  const content = await pageOf(tests);
  await using browser = await launchChromium();
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`${error}`));
  await page.addScriptTag({ content });
  const results = await page.evaluate<readonly PageResult[]>('suite.runAll()');
  return [...results, ...faults.map((error) => ({ name: 'the page', error }))];
}

async function pageOf(tests: readonly CompiledTest[]): Promise<string> {
  const name = '\0page';
  const text = [
    `import '${stands['node:timers/promises']}';`,
    `export { runAll } from '${stands['node:test']}';`,
    ...tests.flatMap(({ file }, index) => [`import 'begin:${index}';`, `import '${file}';`]),
  ].join('\n');
  const page: Plugin = {
    name: 'page',
    resolveId(specifier) {
      if (specifier === name || /^(?:begin|virtual):/.test(specifier)) return specifier;
      return stands[specifier] ?? null;
    },
    load(id) {
      if (id === name) return text;
      if (id === 'virtual:assert') return `export { strict as default } from '${asserting}';`;
      if (!id.startsWith('begin:')) return null;
      return `import { beginFile } from '${stands['node:test']}';\nbeginFile();`;
    },
  };
  await using bundle = await rolldown({
    input: name,
    platform: 'browser',
    tsconfig: false,
    plugins: [page],
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'suite' });
  return output[0].code;
}
