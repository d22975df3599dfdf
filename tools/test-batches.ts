/**
 * Test files of one package share a process, some neighbours at a time: most of what a file of the server's tests takes
 * is loading the server. Files that start whole services have a process each.
 */

import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const FILES_MAX = 24;
/** Folders whose tests are about processes. */
const ALONE = /^(?:tests|examples|simulation|bench)\//;
const PACKAGE = /^(?:packages\/)?[^/]+/;

export interface TestBatch {
  /** For people: the folder, or the first and the last of them. */
  readonly name: string;
  readonly files: readonly string[];
}

/** Every file is in one batch; files of different packages never share one. */
export function testBatches(files: readonly string[], root: string): readonly TestBatch[] {
  const packages = Map.groupBy(files, (file) => {
    const path = relative(root, file);
    return ALONE.test(path) ? path : PACKAGE.exec(path)![0];
  });
  return [...packages.values()].flatMap((own) => {
    // Parts of about the same length, rather than a short last one.
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

/** A module that runs a batch. */
export function batchModule({ files }: TestBatch): string {
  return files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join('');
}
