/** The Python that can run a program: the first that has what it imports. */

import { spawnSync } from 'node:child_process';

/** Debian's packages are of Debian's own, which another may stand before. */
const PYTHONS = ['python3', '/usr/bin/python3'];

/** Null: there is none on this machine. */
export function pythonFor(program: string): string | null {
  const names = [...program.matchAll(/^(?:import|from) (\w+)/gm)].map(([, name]) => name!);
  const imports = names.map((name) => `import ${name}`).join('\n');
  return PYTHONS.find((python) => spawnSync(python, ['-c', imports]).status === 0) ?? null;
}
