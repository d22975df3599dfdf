/** Reads typed or piped input. A hidden answer is never written anywhere, and prompts go to stderr. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CommandInput } from './command.ts';

/** More than any key or answer; a whole file on stdin is a mistake. */
const PIPED_CHARACTERS_MAX = 65_536;

export interface InputStreams {
  /** Called only when needed: a process cannot close its input again after opening it. */
  readonly stdin: () => NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  /** At a prompt the terminal delivers ctrl-c as a character; this turns it into an interrupt again. */
  readonly interrupt: () => void;
}

export function createTerminalInput(streams: InputStreams): CommandInput {
  const { stdin, stderr, signal, interrupt } = streams;
  return {
    get isTerminal() {
      return stdin().isTTY === true;
    },
    async ask(question, { isHidden = false } = {}) {
      const output = isHidden
        ? new Writable({ write: (_chunk, _encoding, done) => done() })
        : stderr;
      if (isHidden) stderr.write(question);
      using lines = createInterface({ input: stdin(), output, terminal: this.isTerminal });
      lines.on('SIGINT', interrupt);
      const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
      const answer = lines.question(isHidden ? '' : question, { signal });
      try {
        return await Promise.race([answer, ended]);
      } finally {
        if (isHidden) stderr.write('\n');
      }
    },
    async readAll() {
      let text = '';
      const piped = stdin().setEncoding('utf8');
      for await (const chunk of piped) {
        text += chunk;
        if (text.length > PIPED_CHARACTERS_MAX) throw new Error('the piped input is too long');
      }
      return text;
    },
    bytes: () => stdin() as AsyncIterable<Uint8Array>,
  };
}
