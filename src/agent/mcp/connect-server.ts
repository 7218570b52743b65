import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { maskControls } from '../../core/text/mask-controls.ts';
import type { McpServerSpec } from '../../core/tools/mcp-server-spec.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { AnyTool } from '../tool/tool.ts';
import { createProcessTransport, type McpPlace } from './process-transport.ts';
import { type ListedTool, listTools, MAX_TOOLS, type ServerList, toServerTool } from './server-tool.ts';

export interface ConnectedServer {
  readonly tools: readonly AnyTool[];
  /** What is odd about it, in words. */
  readonly warnings: readonly string[];
  /** Ends it; never rejects. */
  readonly close: () => Promise<void>;
}

/** Results are not checked by the server's own schema: a compiled schema would be code that the server wrote. */
const TRUSTING = { getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }) };

/** Starts or calls a server and asks for its tools. Rejects with what a person should know; then nothing of it is left. */
export async function connectServer(spec: McpServerSpec, place: McpPlace): Promise<ConnectedServer> {
  const child = spec.url === undefined ? createProcessTransport(spec, place) : null;
  const client = new Client({ name: 'ralph', version: RALPH_VERSION }, { capabilities: {}, jsonSchemaValidator: TRUSTING });
  const close = (): Promise<void> => client.close().catch(() => undefined);
  const limits = { timeout: spec.timeoutMs, maxTotalTimeout: spec.timeoutMs };
  try {
    // Each request listens to the signal for good: one of its own goes with it.
    await client.connect(child ?? (await createHttpTransport(spec, place)), { ...limits, signal: AbortSignal.any([place.signal]) });
    const listed = await listTools(client, limits, place.signal);
    const { taken, warnings } = chooseTools(spec, listed);
    const tools = taken.map((tool) =>
      toServerTool(spec, tool, (name, args, signal) =>
        client.request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema, {
          ...limits,
          signal: AbortSignal.any([signal]),
        }),
      ),
    );
    return { tools, warnings, close };
  } catch (error) {
    await close();
    await child?.close();
    throw new Error(await explainFailure(error, child?.ended() ?? null));
  }
}

/** Loaded when a server has an address: most have none. */
async function createHttpTransport({ url = '', tokenEnv }: McpServerSpec, { env }: McpPlace): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const token = tokenEnv === undefined ? undefined : env[tokenEnv];
  if (tokenEnv !== undefined && (token === undefined || token === '')) throw new Error(`the variable ${tokenEnv} is not set`);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  // The optional fields of the class are looser than the interface under exact optional types.
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as unknown as Transport;
}

function chooseTools(
  { name, tools: wanted }: McpServerSpec,
  { tools: listed, odd }: ServerList,
): { taken: readonly ListedTool[]; warnings: string[] } {
  const warnings: string[] = [];
  const byName = new Map(listed.map((tool) => [tool.name, tool]));
  const missing = (wanted ?? []).filter((tool) => !byName.has(tool) && !odd.includes(tool));
  if (missing.length > 0) warnings.push(`The MCP server ${name} has no tool ${missing.slice(0, 5).join(', ')}.`);
  if (odd.length > 0)
    warnings.push(`The MCP server ${name} describes tools in a way that is not understood, they are left out: ${toNames(odd)}.`);
  if (listed.length + odd.length === 0) warnings.push(`The MCP server ${name} has no tools.`);
  const all = [...byName.values()].filter((tool) => wanted === null || wanted.includes(tool.name));
  if (all.length > MAX_TOOLS) warnings.push(`The MCP server ${name} has more than ${MAX_TOOLS} tools: the first ones are taken.`);
  return { taken: all.slice(0, MAX_TOOLS), warnings };
}

function toNames(odd: readonly (string | null)[]): string {
  const named = odd.flatMap((name) => (name === null ? [] : [toLine(name).slice(0, 60)]));
  const nameless = odd.length - named.length;
  const shown = [...named.slice(0, 5), ...(named.length > 5 ? ['…'] : [])].join(', ');
  return [shown, ...(nameless > 0 ? [`${nameless} without a name`] : [])].filter((part) => part !== '').join(' and ');
}

/** Why a server cannot be used; a program that ended says itself why. */
async function explainFailure(error: unknown, ended: ReturnType<ReturnType<typeof createProcessTransport>['ended']>): Promise<string> {
  const message = toErrorMessage(error);
  const result = await ended;
  if (result === null || result.status === 'spawn-error' || result.stopReason !== undefined) return toLine(message);
  const how = result.exitCode === null ? `it was ended by ${result.signal}` : `it ended with exit code ${result.exitCode}`;
  const last = result.stderrTail.trim().split('\n').at(-1) ?? '';
  return toLine(last === '' ? how : `${how}: ${last}`);
}

function toLine(text: string): string {
  return maskControls(text.replace(/\s+/g, ' ').trim().slice(0, 300));
}
