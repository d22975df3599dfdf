#!/usr/bin/env node
/**
 * The installed command. It must run on any Node a machine may have, since the shebang finds whatever
 * comes first on the PATH: an older one hands over to the Node that `npm ci` put beside us.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodeMajorMin = 26;
const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'main.ts');

if (Number.parseInt(process.versions.node, 10) >= nodeMajorMin) {
  await import(main);
} else {
  const node = pinnedNode();
  if (node === null) {
    console.error(
      `tapeloom needs Node ${nodeMajorMin} or later; this is ${process.version}. ` +
        'Run "npm ci" in the repository, which installs the right one beside it.',
    );
    process.exitCode = 1;
  } else {
    handOver(node);
  }
}

/** The program of the npm package `node`, or null where it is not installed. */
function pinnedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const program = join(dirname(manifest), 'bin', 'node');
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

function handOver(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal signals the whole group; a supervisor only us. The child decides when to end.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 130);
  });
}
