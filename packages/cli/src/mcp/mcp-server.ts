/**
 * The MCP server without its transport: which tools there are, arguments checked before a tool sees them,
 * and every failure as a tool error that a model can act on. The key is nowhere in it.
 */

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { TapeloomError } from '@tapeloom/client';
import * as z from 'zod';
import { toldBy } from '../customer/failure.ts';
import { catalogueTools } from './catalogue-tools.ts';
import { chartTool } from './chart-tool.ts';
import { historyTools } from './history-tools.ts';
import { KnownIndicators } from './known-indicators.ts';
import { CostRefusedError } from './spending.ts';
import { type Tool, type ToolContext, textContent } from './tool.ts';

const INSTRUCTIONS = `Order-flow indicators of futures contracts: bars, footprint, delta, volume profile, VWAP, large trades and others.
Begin with list_instruments (what trades, and the time of now) and list_indicators (what can be computed, with which parameters).
History costs compute units, one per trade of the range; estimate is free. history and chart refuse what exceeds the limits the user has set.
Times are UTC. Volumes are lots.`;

const TOOLS: readonly Tool[] = [...catalogueTools, ...historyTools, chartTool];

export interface McpServerOptions extends Omit<ToolContext, 'known'> {
  readonly version: string;
}

export function createMcpServer({ version, ...parts }: McpServerOptions): Server {
  const context: ToolContext = { ...parts, known: new KnownIndicators(parts.service) };
  const server = new Server(
    { name: 'tapeloom', title: 'Tapeloom', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(published) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    }
    const input = tool.input.safeParse(params.arguments ?? {});
    if (!input.success) return refusal(`INVALID_PARAMETERS: ${faultsText(input.error)}`);
    try {
      return await tool.run(input.data, context, signal);
    } catch (error) {
      return refusal(failureText(error));
    }
  });
  return server;
}

function published({ name, title, description, annotations, input, output }: Tool) {
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: objectSchema(input, 'input'),
    ...(output === undefined ? {} : { outputSchema: objectSchema(output, 'output') }),
  };
}

function objectSchema(schema: z.ZodObject, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, type: 'object' as const };
}

function refusal(text: string): CallToolResult {
  return { isError: true, content: [textContent(text)] };
}

function faultsText({ issues }: z.ZodError): string {
  const told = issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return told.join('; ');
}

function failureText(error: unknown): string {
  if (error instanceof CostRefusedError) return `COST_LIMIT: ${error.message}`;
  if (error instanceof TapeloomError)
    return `${error.code}: ${toldBy(error, HINTS)}${requestText(error)}`;
  const message = error instanceof Error ? error.message : String(error);
  return `FAILED: ${message.split('\n')[0]}`;
}

function requestText({ requestId }: TapeloomError): string {
  return requestId === null ? '' : ` (request ${requestId})`;
}

const HINTS: Readonly<Record<string, string>> = {
  UNKNOWN_INSTRUMENT: 'list_instruments lists them.',
  UNAUTHORIZED:
    'The user must give tapeloom mcp a valid key: TAPELOOM_KEY in its environment, or tapeloom login.',
  CONFIGURATION:
    'The user must give tapeloom mcp a key: TAPELOOM_KEY in its environment, or tapeloom login.',
  NETWORK: 'The service could not be reached: is it running, and is the address right?',
};
