/**
 * Groups the test files of a package into shared processes, because loading the server takes most of a file's time.
 * Files that start whole services get their own process.
 */

import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const FILES_MAX = 24;
/** Folders whose tests start processes. */
const ALONE = /^(?:tests|examples|simulation|bench)\//;
const PACKAGE = /^(?:packages\/)?[^/]+/;

export interface TestBatch {
  /** A label: the folder, or the first and the last one. */
  readonly name: string;
  readonly files: readonly string[];
}

/** Every file is in one batch; a batch never mixes packages. */
export function testBatches(files: readonly string[], root: string): readonly TestBatch[] {
  const packages = Map.groupBy(files, (file) => {
    const path = relative(root, file);
    return ALONE.test(path) ? path : PACKAGE.exec(path)![0];
  });
  return [...packages.values()].flatMap((own) => {
    // Parts of similar length instead of a short last one.
    const parts = Math.ceil(own.length / FILES_MAX);
    return Array.from({ length: parts }, (_, part) => {
      const cut = (at: number) => Math.round((at * own.length) / parts);
      return batchOf(own.slice(cut(part), cut(part + 1)), root);
    });
  });
}

function batchOf(files: readonly string[], root: string): TestBatch {
  const [first, last] = [files[0]!, files.at(-1)!].map((file) => relative(root, dirname(file)));
  return { name: first === last ? first! : `${first} to ${last}`, files };
}

export function batchModule({ files }: TestBatch): string {
  return files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join('');
}
