/** Serves MCP on standard input and output; only protocol messages are written there. */

import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { CommandIo } from '../command.ts';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';

/** Serves until the input ends, the assistant disconnects or the command is interrupted. */
export async function serveStdio(
  options: McpServerOptions,
  io: Pick<CommandIo, 'stderr' | 'signal'>,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable } = process,
): Promise<void> {
  const server = createMcpServer(options);
  const transport = new StdioServerTransport(stdin, stdout);
  server.onerror = (error) => {
    io.stderr(`${error.message}\n`);
    const answer = answerTo(error);
    if (answer !== null) stdout.write(`${JSON.stringify(answer)}\n`);
  };
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.onclose = resolve;
  const close = () => void server.close();
  io.signal.addEventListener('abort', close, { once: true });
  stdin.once('end', close);
  await server.connect(transport);
  if (io.signal.aborted) close();
  await closed;
}

/** The response to a line that is no message, for which the library sends none. Its id is null: none could be read. */
function answerTo(error: Error): object | null {
  const isJson = !(error instanceof SyntaxError);
  if (isJson && !(error instanceof z.ZodError)) return null;
  const { ParseError, InvalidRequest } = ErrorCode;
  const [code, message] = isJson
    ? [InvalidRequest, 'The line is not a JSON-RPC 2.0 message.']
    : [ParseError, 'The line is not JSON.'];
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}
