/** What a tool of the MCP server is, and what it works with. */

import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import type { KnownIndicators } from './known-indicators.ts';
import type { Service } from './service.ts';
import type { Spending } from './spending.ts';

export interface ToolContext {
  readonly service: Service;
  readonly known: KnownIndicators;
  readonly spending: Spending;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Tells the assistant how far a call is, where it asked to be told. */
  readonly progress: (done: number, total: number, message: string) => Promise<void>;
  /** A picture of an SVG document; throws `PngMissingError` where there can be none. */
  readonly png: (svg: string, signal: AbortSignal) => Promise<Uint8Array>;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the model that decides whether and how to call it. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  /** Of `structuredContent`; left out where the result is no data. */
  readonly output?: z.ZodObject;
  run(input: z.infer<Input>, context: ToolContext, signal: AbortSignal): Promise<CallToolResult>;
}

/** Changes nothing and costs nothing. */
export const FREE: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Changes nothing but what is left of the month's budget, within the user's limits. */
export const CHARGED: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
};

/** Keeps the type of the input between the schema and `run`. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}

/** Data for programs, and the same as text for those that read only that. */
export function dataResult(data: Readonly<Record<string, unknown>>): CallToolResult {
  return { structuredContent: { ...data }, content: [textContent(JSON.stringify(data))] };
}

export function textContent(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text };
}
