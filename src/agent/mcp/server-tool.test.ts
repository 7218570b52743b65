import { describe, expect, it } from 'vitest';
import type { McpServerSpec } from '../../core/tools/mcp-server-spec.ts';
import { makeContext } from '../tool/tool-fixtures.ts';
import { toServerTool } from './server-tool.ts';

const SERVER: McpServerSpec = { name: 'docs', command: 'x', args: [], env: {}, tools: null, trustsAnnotations: true, timeoutMs: 1000 };
const LISTED = { name: 'find', inputSchema: { type: 'object' as const } };

describe('a tool of a server', () => {
  it('of which a trusted server says half has the rest as MCP says', () => {
    expect(toServerTool(SERVER, { ...LISTED, annotations: { readOnlyHint: true } }, async () => ({ content: [] })).hints).toEqual({
      readOnly: true,
      destructive: true,
      idempotent: false,
      openWorld: true,
    });
  });

  it('says what it answers when it has structure only, and that it said nothing', async () => {
    const run = async (answer: object) => {
      const tool = toServerTool(SERVER, LISTED, async () => ({ content: [], ...answer }));
      return tool.run({} as never, makeContext());
    };
    expect(await run({ structuredContent: { found: 3 } })).toEqual({ text: '{"found":3}', isError: false });
    expect(await run({})).toEqual({ text: 'The tool said nothing.', isError: false });
  });

  it('that fails is an error result without anything that a terminal would obey', async () => {
    const tool = toServerTool(SERVER, LISTED, () => Promise.reject(new Error('gone \u001b[2J')));
    const { text, isError } = await tool.run({} as never, makeContext());
    expect(isError).toBe(true);
    expect(text).toContain('The MCP server docs did not answer: gone');
    expect(text).not.toContain('\u001b');
  });
});
