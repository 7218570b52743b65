import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import {
  type Json,
  type JsonObject,
  type McpServerSpec,
  maskControls,
  PESSIMISTIC_HINTS,
  type ToolHints,
  toServerToolName,
} from '../../core/index.ts';
import { toJsonSchemaType } from '../json-schema-type.ts';
import { type AnyTool, fail, type Tool, type ToolResult } from '../tool.ts';
import type { ListedTool } from './list-tools.ts';

const MAX_DESCRIPTION = 1000;

/** Calls a tool of a server. Rejects when the server is gone, is silent for too long, or refuses. */
export type CallServer = (tool: string, args: JsonObject, signal: AbortSignal) => Promise<CallToolResult>;

/** A tool of a server as one of ours. */
export function toServerTool(server: McpServerSpec, listed: ListedTool, call: CallServer): AnyTool {
  const tool: Tool<JsonObject> = {
    name: toServerToolName(server.name, listed.name),
    group: `mcp:${server.name}`,
    hints: toHints(server, listed),
    description: maskControls(
      (listed.description ?? listed.title ?? `The tool ${listed.name} of the server ${server.name}.`).slice(0, MAX_DESCRIPTION),
      {
        keepsLines: true,
        by: ' ',
      },
    ),
    parameters: toJsonSchemaType(listed.inputSchema as JsonObject),
    run: async (args, { signal }) => {
      try {
        return toResult(await call(listed.name, args, signal));
      } catch (error) {
        const what = maskControls((error instanceof Error ? error.message : String(error)).slice(0, 500));
        return fail(`The MCP server ${server.name} did not answer: ${what}`, 'Go on without this tool, or try it once more.');
      }
    },
  };
  return tool;
}

/** What the person says of a tool, else what a trusted server says, else what MCP says of such. */
function toHints({ trustsAnnotations, annotations = {} }: McpServerSpec, { name, annotations: said = {} }: ListedTool): ToolHints {
  return {
    ...PESSIMISTIC_HINTS,
    ...(trustsAnnotations ? readHints(said) : {}),
    ...(Object.hasOwn(annotations, name) ? annotations[name] : {}),
  };
}

/** Servers that were written by hand often spell the names of the hints with underscores. What is no truth value is not said. */
function readHints(said: Readonly<Record<string, unknown>>): Partial<ToolHints> {
  const pairs = Object.entries(HINT_NAMES).map(([hint, names]) => [hint, names.map((name) => said[name]).find(isTruthValue)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

const HINT_NAMES: Readonly<Record<keyof ToolHints, readonly string[]>> = {
  readOnly: ['readOnlyHint', 'read_only_hint'],
  destructive: ['destructiveHint', 'destructive_hint'],
  idempotent: ['idempotentHint', 'idempotent_hint'],
  openWorld: ['openWorldHint', 'open_world_hint'],
};

function isTruthValue(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function toResult({ content = [], structuredContent, isError }: CallToolResult): ToolResult {
  const texts = content.map(toText);
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent as Json));
  return { text: texts.join('\n\n') || 'The tool said nothing.', isError: isError === true };
}

function toText(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}: not text, not shown]`;
    case 'resource_link':
      return `[${part.name}: ${part.uri}]`;
    default:
      return `[${part.type} ${part.mimeType}: not shown]`;
  }
}
