/** The shape of an MCP tool, and the context it runs in. */

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
  /** Reports progress if the assistant asked for it. */
  readonly progress: (done: number, total: number, message: string) => Promise<void>;
  /** Renders an SVG document; throws `PngMissingError` if the renderer is missing. */
  readonly png: (svg: string, signal: AbortSignal) => Promise<Uint8Array>;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the model, which decides whether and how to call the tool. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  /** The schema of `structuredContent`; absent if the result is no data. */
  readonly output?: z.ZodObject;
  run(input: z.infer<Input>, context: ToolContext, signal: AbortSignal): Promise<CallToolResult>;
}

/** Changes nothing and is free. */
export const FREE: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Changes nothing but the month's budget, within the user's limits. */
export const CHARGED: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
};

/** Ties the type of `run`'s input to the schema. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}

/** Data for programs, and the same as text for clients that read only text. */
export function dataResult(data: Readonly<Record<string, unknown>>): CallToolResult {
  return { structuredContent: { ...data }, content: [textContent(JSON.stringify(data))] };
}

export function textContent(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text };
}
