#!/usr/bin/env node
/** The installed command `tapeloom-types`. */

import { typesCommand } from '../src/node/types-command.ts';

process.exitCode = await typesCommand(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
