/**
 * `npm run bench -- <name> [words]` runs `bench/<name>/<name>.bench.ts` and prints its table and
 * notes. The very last line is one JSON object for programs, which also describes the machine.
 */

import { availableParallelism, cpus } from 'node:os';
import { loadRun } from '../tools/named-module.ts';
import type { Bench } from './shared/report.ts';
import { alignedTable } from './shared/table.ts';

const [name, ...words] = process.argv.slice(2);
const run = await loadRun<Bench>(
  { folder: import.meta.dirname, ending: '.bench.ts', usage: 'npm run bench -- <name> [words]' },
  name,
);
const report = await run(words);
const machine = {
  cores: availableParallelism(),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
};

console.log(`\n${report.title}\n`);
console.log(alignedTable(report.columns, report.rows));
console.log('');
for (const note of report.notes) console.log(`- ${note}`);
console.log(
  `- Machine: ${machine.cores} cores, ${machine.cpu}, Node ${machine.node}, ${machine.platform}.\n`,
);
console.log(JSON.stringify({ bench: name, machine, ...report.json }));
