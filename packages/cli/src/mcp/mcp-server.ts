/**
 * The MCP server without its transport: the list of tools, checked arguments, and every failure as a tool error that a
 * model can act on. It never contains the key.
 */

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CallToolRequest,
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
import { wrongArguments } from './wrong-arguments.ts';

const INSTRUCTIONS = `Order-flow indicators of futures contracts: bars, footprint, delta, volume profile, VWAP, large trades and others.
Begin with list_instruments (what trades, and the current time) and list_indicators (what can be computed, with which parameters).
History costs compute units, one per trade of the range; estimate is free. history and chart refuse what exceeds the limits the user has set.
Times are UTC. Volumes are lots.`;

/** The library itself reports malformed calls, with -32602. A stricter schema would turn them into internal errors. */
const AnyCall = z.looseObject({ method: z.literal('tools/call'), params: z.unknown() });

const TOOLS: readonly Tool[] = [...catalogueTools, ...historyTools, chartTool];

export interface McpServerOptions extends Omit<ToolContext, 'known' | 'progress'> {
  readonly version: string;
}

export function createMcpServer({ version, ...parts }: McpServerOptions): Server {
  const context = { ...parts, known: new KnownIndicators(parts.service) };
  const server = new Server(
    { name: 'tapeloom', title: 'Tapeloom', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(published) }));
  server.setRequestHandler(AnyCall, async (request, { signal, sendNotification }) => {
    const { params } = request as CallToolRequest;
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    }
    const input = tool.input.safeParse(params.arguments ?? {});
    // Returned as a tool error, which the model sees; many assistants hide protocol errors.
    if (!input.success) {
      return refusal(`INVALID_PARAMETERS: ${wrongArguments(input.error, tool.input)}`);
    }
    const progressToken = params._meta?.progressToken;
    const progress: ToolContext['progress'] = async (done, total, message) => {
      if (progressToken === undefined) return;
      const told = { progressToken, progress: done, total, message };
      await sendNotification({ method: 'notifications/progress', params: told });
    };
    try {
      return await tool.run(input.data, { ...context, progress }, signal);
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

function failureText(error: unknown): string {
  if (error instanceof CostRefusedError) return `COST_LIMIT: ${error.message}`;
  // The library's own message names its options, not those of `tapeloom mcp`.
  if (error instanceof TapeloomError && error.code === 'CONFIGURATION') {
    return `${error.code}: ${NEEDS_KEY}`;
  }
  if (error instanceof TapeloomError)
    return `${error.code}: ${toldBy(error, HINTS)}${requestText(error)}`;
  const message = error instanceof Error ? error.message : String(error);
  return `FAILED: ${message.split('\n')[0]}`;
}

function requestText({ requestId }: TapeloomError): string {
  return requestId === null ? '' : ` (request ${requestId})`;
}

const HOW_TO_GIVE_A_KEY =
  'A key with the scope history is made in the portal under Keys. The user then runs `tapeloom login`, or sets TAPELOOM_KEY in the environment of `tapeloom mcp`, and starts the assistant again.';

const NEEDS_KEY = `Tell the user that this needs an API key; without one only list_indicators works. ${HOW_TO_GIVE_A_KEY}`;

const HINTS: Readonly<Record<string, string>> = {
  UNKNOWN_INSTRUMENT: 'list_instruments lists them.',
  UNAUTHORIZED: `Tell the user that the key is not valid (any more). ${HOW_TO_GIVE_A_KEY}`,
  NETWORK: 'The service could not be reached. Check that it runs and that the address is right.',
};
