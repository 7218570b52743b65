import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as z from 'zod';

/** A tool as a server describes it, as far as it is looked at; hints in whatever spelling. */
export type ListedTool = z.infer<typeof TOOL>;

/** What a server says of its tools. */
export interface ServerList {
  readonly tools: readonly ListedTool[];
  /** Those that are described in a way that is not understood; `null` for one without a name. */
  readonly odd: readonly (string | null)[];
}

/** More than anybody's model can choose among. */
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
