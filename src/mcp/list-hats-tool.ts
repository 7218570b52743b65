import type { McpTool } from './mcp-tool.ts';

/** One hat, as others may know it. */
export interface HatCard {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Topics and patterns that it takes. */
  readonly triggers: readonly string[];
  /** Topics and patterns that it may publish. */
  readonly publishes: readonly string[];
}

/**
 * The tool that says who else works on the task.
 *
 * @param hat whose agent asks
 * @param read all hats; `null` where the contract is not known
 */
export function createListHatsTool(hat: string, read: () => readonly HatCard[] | null): McpTool {
  return {
    name: 'list_hats',
    description: 'Lists the hats of this run: what each does, which topics it takes, and what it may publish. Yours is marked.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { title: 'List the hats', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async () => {
      const cards = read();
      if (cards === null) return { text: 'Not listed: the contract of this run is not known.', isError: true };
      if (cards.length === 0) return { text: 'This run has no hats.', isError: false };
      return { text: cards.map((card) => JSON.stringify(card.id === hat ? { ...card, is_yours: true } : card)).join('\n'), isError: false };
    },
  };
}
