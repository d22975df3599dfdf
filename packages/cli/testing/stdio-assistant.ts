/** An assistant that starts a command and talks to it over the protocol's own library. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export interface StdioAssistant extends AsyncDisposable {
  call(name: string, args: object): Promise<CallToolResult>;
  /** What the command has written beside the protocol. */
  errors(): string;
}

export async function stdioAssistant(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<StdioAssistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr!.on('data', (text) => {
    errors += String(text);
  });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  return {
    call: (name, given) =>
      client.callTool({ name, arguments: { ...given } }) as Promise<CallToolResult>,
    errors: () => errors,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
