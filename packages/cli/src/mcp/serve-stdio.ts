/** The MCP server on standard input and output: nothing but the protocol is written there. */

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CommandIo } from '../command.ts';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';

/** Serves until the input ends, the assistant goes away or the command is interrupted. */
export async function serveStdio(options: McpServerOptions, io: CommandIo): Promise<void> {
  const server = createMcpServer(options);
  server.onerror = (error) => io.stderr(`${error.message}\n`);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.onclose = resolve;
  const close = () => void server.close();
  io.signal.addEventListener('abort', close, { once: true });
  process.stdin.once('end', close);
  await server.connect(new StdioServerTransport());
  if (io.signal.aborted) close();
  await closed;
}
