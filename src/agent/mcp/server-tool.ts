import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { maskControls } from '../../core/text/mask-controls.ts';
import type { McpServerSpec } from '../../core/tools/mcp-server-spec.ts';
import { toServerToolName } from '../../core/tools/server-tool-name.ts';
import { PESSIMISTIC_HINTS, type ToolHints } from '../../core/tools/tool-card.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import { type Json, type JsonObject, readOwn } from '../../core/values/json.ts';
import { toJsonSchemaType } from '../tool/json-schema-type.ts';
import { type AnyTool, fail, type Tool, type ToolResult } from '../tool/tool.ts';

const MAX_DESCRIPTION = 1000;

/** Calls a tool of a server. Rejects when the server is gone, is silent for too long, or refuses. */
export type CallServer = (tool: string, args: JsonObject, signal: AbortSignal) => Promise<CallToolResult>;

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
        const what = maskControls(toErrorMessage(error).slice(0, 500));
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
    ...readOwn(annotations, name),
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

/** A tool as a server describes it, as far as it is looked at; hints in whatever spelling. */
export type ListedTool = z.infer<typeof TOOL>;

export interface ServerList {
  readonly tools: readonly ListedTool[];
  /** Those that are described in a way that is not understood; `null` for one without a name. */
  readonly odd: readonly (string | null)[];
}

/** More tools than a model can choose among. */
export const MAX_TOOLS = 200;
const MAX_PAGES = 20;

/** Less than the protocol asks for: what is not used need not be right. */
const TOOL = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z.looseObject({}).optional().catch(undefined),
});
const NAMED = z.looseObject({ name: z.string() });
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Asks a server for its tools. Each is looked at by itself: one that is described badly costs no other. Rejects when the server does not answer.
 *
 * @param limits milliseconds
 */
export async function listTools(
  client: Client,
  limits: { readonly timeout: number; readonly maxTotalTimeout: number },
  signal: AbortSignal,
): Promise<ServerList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], odd: [] };
  const tools: ListedTool[] = [];
  const odd: (string | null)[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length + odd.length <= MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    // Not `client.listTools`: it compiles the schemas of results, and one bad schema would cost all tools.
    const answer = await client.request({ method: 'tools/list', params }, PAGE, { ...limits, signal: AbortSignal.any([signal]) });
    for (const listed of answer.tools) {
      const parsed = TOOL.safeParse(listed);
      if (parsed.success) tools.push(parsed.data);
      else odd.push(NAMED.safeParse(listed).data?.name ?? null);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return { tools, odd };
}
