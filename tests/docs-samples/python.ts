/** Finds the first Python that has a program's imports. */

import { spawnSync } from 'node:child_process';

/** Debian's packages belong to Debian's own Python, which another may hide in the path. */
const PYTHONS = ['python3', '/usr/bin/python3'];

/** Null when no Python here has the imports. */
export function pythonFor(program: string): string | null {
  const names = [...program.matchAll(/^(?:import|from) (\w+)/gm)].map(([, name]) => name!);
  const imports = names.map((name) => `import ${name}`).join('\n');
  return PYTHONS.find((python) => spawnSync(python, ['-c', imports]).status === 0) ?? null;
}
