/** The real command `tapeloom` as a process, on a data directory that a service may be using. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { WAIT_LIMIT_MS } from './running-service.ts';
import { COMMAND } from './tapeloom-program.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function tapeloom(data: string, ...words: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const args = [...COMMAND, ...words, '--data', data];
    execFile(process.execPath, args, { timeout: WAIT_LIMIT_MS }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs a command that must succeed; returns its `--json` output. */
export async function tapeloomJson<T>(data: string, ...words: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await tapeloom(data, ...words, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}
