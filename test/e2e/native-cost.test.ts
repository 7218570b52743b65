/** Limits of cost and the native agent, as a user meets them: `ralph run` against a provider on loopback, with list prices. */
import { describe, expect, test } from 'vitest';
import { type Handler, type ModelServer, startModelServer } from '../../src/mock-model/index.ts';
import { ralph, withFolder } from './ralph.ts';
import { readStatus } from './run-facts.ts';

/** Each answer costs half a dollar by the list price of gpt-5 ($10 for a million output tokens), and calls a tool: it never comes to an end by itself. */
const SPENDER: Handler = ({ turns }) => {
  const step = turns.filter(({ role }) => role === 'assistant').length + 1;
  return {
    text: `Step ${step}.`,
    calls: [{ tool: ['read_file'], args: { path: `step-${step}.txt` }, isForced: true }],
    usage: { inputTokens: 0, cachedTokens: 0, writtenTokens: 0, outputTokens: 50_000 },
  };
};

async function withSpender(model: string, limits: string, use: (folder: string, server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer({ handler: SPENDER });
  const files = {
    'ralph.yml': `
cli: {backend: {type: native, provider: openai, model: ${model}, max_steps: 20, base_url: "${server.url}/v1"}}
event_loop: {prompt: Spend it, ${limits}}
hats:
  builder: {triggers: [task.start, task.resume], publishes: [task.complete], profile: creator}
`,
  };
  try {
    await withFolder(files, (folder) => use(folder, server));
  } finally {
    await server.close();
  }
}

const RUN = ['run', '--no-tui'];

describe.concurrent('a native agent under a limit of cost', () => {
  test('is ended behind the step that crossed it, and the report says what was spent', async () => {
    await withSpender('gpt-5', 'max_cost_usd: 1.2', async (folder, server) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code).toBe(2);
      expect(server.requests).toHaveLength(3);
      expect(stdout).toContain('$1.50');
      const { end, turns, totals } = await readStatus(folder);
      expect(end?.reason).toBe('max_cost');
      expect(turns.map(({ status }) => status)).toEqual(['interrupted']);
      expect(totals.usage.costUsd).toBeCloseTo(1.5, 6);
      // With more money the same conversation goes on.
      await ralph(folder, ['resume', '--no-tui', '--max-cost', '2']);
      expect(server.requests).toHaveLength(4);
      expect((await readStatus(folder)).totals.usage.costUsd).toBeCloseTo(2, 6);
    });
  });

  test('is refused before its first call where nobody knows what its model costs', async () => {
    await withSpender('model-of-mine', 'max_cost_usd: 1.2', async (folder, server) => {
      const { code, stderr } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stderr).toContain('What model-of-mine of openai costs is not known');
      expect(stderr).toContain('unknown_cost: allow');
      expect(server.requests).toHaveLength(0);
    });
  });

  test('works on without a price where that is allowed, says so, and its cost stays unknown', async () => {
    await withSpender('model-of-mine', 'max_cost_usd: 1.2, unknown_cost: allow, max_iterations: 1', async (folder, server) => {
      const { code, stdout, stderr } = await ralph(folder, [...RUN, '-c', 'cli.backend.max_steps=5']);
      expect(stdout + stderr).toMatch(/limit cannot hold "native \(model-of-mine\)"/);
      expect(code).toBe(2);
      expect(server.requests).toHaveLength(5);
      const { end, totals } = await readStatus(folder);
      expect(end?.reason).toBe('max_iterations');
      expect(totals.usage.costUsd).toBeNull();
    });
  });

  test('is charged by a price of the user', async () => {
    await withSpender('model-of-mine', 'max_cost_usd: 1.2', async (folder, server) => {
      const { code } = await ralph(folder, [...RUN, '-c', 'prices.model-of-mine={input: 1, output: 20}']);
      expect(code).toBe(2);
      expect(server.requests).toHaveLength(2);
    });
  });
});
