/**
 * Test files of one folder share a process, some at a time: most of what a file of the server's tests takes is
 * loading the server. Files that start whole services or programs have a process each.
 */

import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const FILES_MAX = 8;
/** Folders whose tests are about processes. */
const ALONE = /^(?:tests|examples|simulation|bench)(?:\/|$)|^packages\/cli\/src\/commands$/;

export interface TestBatch {
  /** For people: the folder, and which part of it. */
  readonly name: string;
  readonly files: readonly string[];
}

/** Every file is in one batch; files of different folders never share one. */
export function testBatches(files: readonly string[], root: string): readonly TestBatch[] {
  const folders = Map.groupBy(files, (file) => relative(root, dirname(file)));
  return [...folders].flatMap(([folder, own]) => {
    const size = ALONE.test(folder) ? 1 : FILES_MAX;
    // Parts of about the same length, rather than a short last one.
    const parts = Math.ceil(own.length / size);
    return Array.from({ length: parts }, (_, part) => ({
      name: parts === 1 ? folder : `${folder} ${part + 1}`,
      files: own.filter((_file, index) => index % parts === part),
    }));
  });
}

/** A module that runs a batch. */
export function batchModule({ files }: TestBatch): string {
  return files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join('');
}
