/**
 * The entry point of `tapeloom`. `serve` has its own signal handling and output, and starts without loading the other
 * commands. Everything else runs in `command-process.ts`, a replay too, because it reads before it serves.
 */

import { asksForHelp } from '@tapeloom/server/config/command-line';
import { boundHeaps } from '@tapeloom/server/platform/memory/bound-heaps';
import { asksForReplay } from './replay/asks-for-replay.ts';

// An older Node started this process as a child: end when that parent ends.
if (process.channel !== undefined) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

const [first, ...args] = process.argv.slice(2);
if (first === 'serve' && !asksForHelp(args) && !asksForReplay(args)) {
  boundHeaps();
  const { serveLive } = await import('./commands/serve.ts');
  process.exitCode = await serveLive(args);
} else {
  await import('./command-process.ts');
}
