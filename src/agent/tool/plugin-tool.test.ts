import { describe, expect, it } from 'vitest';
import type { PluginTool } from '../../core/tools/plugin-tool.ts';
import { callTool } from '../calls/call-tool.ts';
import { toPluginTool } from './plugin-tool.ts';
import { createRegistry } from './registry.ts';
import { makeContext } from './tool-fixtures.ts';

const OUTPUT = { redact: (text: string) => text, cap: (text: string) => text, hookText: { nonce: 'n', keep: async () => null } };

const DEPLOY: PluginTool = {
  name: 'deploy',
  group: 'runtime',
  description: 'Deploys.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  run: async ({ to }, { workspace }) => ({ text: `deployed ${workspace} to ${String(to)}` }),
};

function call(plugin: PluginTool, args: unknown, signal = new AbortController().signal) {
  const tools = { registry: createRegistry([toPluginTool(plugin)]), offered: new Set([plugin.name]) };
  return callTool(tools, { id: 'c1', name: plugin.name, args }, makeContext({ signal }), OUTPUT);
}

describe('a tool of a plugin', () => {
  it('is called with checked arguments and knows its workspace', async () => {
    expect(await call(DEPLOY, { to: 'staging' })).toMatchObject({ text: 'deployed /nowhere to staging', isError: false, kind: 'ran' });
    expect(await call(DEPLOY, {})).toMatchObject({ isError: true, kind: 'bad-arguments' });
  });

  it('has the worst hints where it says none', () => {
    expect(toPluginTool({ ...DEPLOY, hints: { destructive: false } }).hints).toEqual({
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'done'],
    ['no text', { isError: false }],
  ])('that gives back %s is an error result', async (_, result) => {
    expect(await call({ ...DEPLOY, run: () => result as never }, { to: 'x' })).toMatchObject({ isError: true });
  });

  it('that throws, at once or later, is an error result', async () => {
    const thrown = (): never => {
      throw new Error('no way');
    };
    for (const run of [thrown, () => Promise.reject(new Error('no way'))])
      expect(await call({ ...DEPLOY, run }, { to: 'x' })).toMatchObject({
        isError: true,
        kind: 'tool-failed',
        text: expect.stringContaining('no way'),
      });
  });

  it('that does not listen to the end of the turn is given up', async () => {
    const stopper = new AbortController();
    const run = (): Promise<never> => {
      stopper.abort();
      return new Promise(() => undefined);
    };
    const { text, isError } = await call({ ...DEPLOY, run }, { to: 'x' }, stopper.signal);
    expect(isError).toBe(true);
    expect(text).toContain('deploy was given up');
  });
});
