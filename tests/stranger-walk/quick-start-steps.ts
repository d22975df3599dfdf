/** The steps of `docs/quick-start.md`: commands to type and files to save, word for word. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface QuickStartStep {
  /** `On your own machine`, or `Against a running service` */
  readonly part: string;
  /** `2. Install` */
  readonly title: string;
  /** Commands to type, block by block. */
  readonly commands: readonly string[];
  /** Files to save, by name. */
  readonly files: ReadonlyMap<string, string>;
}

const page = join(import.meta.dirname, '../../docs/quick-start.md');

export function quickStartSteps(text = readFileSync(page, 'utf8')): readonly QuickStartStep[] {
  const steps: QuickStartStep[] = [];
  for (const part of text.split(/^## /m).slice(1)) {
    const name = part.slice(0, part.indexOf('\n'));
    for (const step of part.split(/^### /m).slice(1)) {
      const fences = [...step.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)];
      const commands = fences.filter(([, language]) => language === 'sh').map(([, , , it]) => it!);
      const files = fences.flatMap(([, , info, it]) => {
        const file = /\bfile=(\S+)/.exec(info!)?.[1];
        return file === undefined ? [] : [[file, it!] as const];
      });
      steps.push({
        part: name,
        title: step.slice(0, step.indexOf('\n')),
        commands: commands.map((command) => command.trim()),
        files: new Map(files),
      });
    }
  }
  return steps;
}

/** The only command that contains these words. */
export function commandWith(steps: readonly QuickStartStep[], words: string): string {
  const command = steps.flatMap(({ commands }) => commands).find((it) => it.includes(words));
  if (command === undefined) throw new Error(`docs/quick-start.md has no command with ${words}`);
  return command;
}
