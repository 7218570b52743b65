import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingsOf, settingsOf } from '../config-fixtures.ts';
import { migrateText } from './migrate-text.ts';

const FOREIGN = new URL('../../../fixtures/foreign/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOREIGN), 'utf8');

describe('agents of MassGen', () => {
  it('become hats that work one after the other, with their models and their words', async () => {
    const { outcome, text, dropped } = await migrateText(read('massgen-multi.yml'), 'x.yml');
    expect(outcome).toBe('migrated');
    expect(findingsOf(text)).toEqual([]);
    const { spec, backends, profileNames } = settingsOf(text);
    expect(spec.hats).toMatchObject([
      { id: 'first', triggers: ['task.start', 'task.resume'], publishes: [{ topic: 'first.done' }], instructions: 'You are careful.' },
      { id: 'second', triggers: ['first.done'], publishes: [{ topic: 'task.complete' }] },
    ]);
    expect(backends['first']).toMatchObject([{ type: 'native', model: 'gpt-5', native: { provider: 'openai' } }]);
    expect(backends['ralph']).toEqual(backends['first']);
    expect(backends['second']).toMatchObject([{ type: 'native', model: 'gemini-2.5-flash', native: { provider: 'google' } }]);
    expect(profileNames['second']).toBe('creator');
    expect(dropped.map((line) => line.split(' ')[0])).toEqual(['orchestrator', 'ui']);
  });

  it('become one hat where there is one', async () => {
    const { text } = await migrateText(read('massgen-single.yml'), 'x.yml');
    expect(settingsOf(text).spec.hats).toMatchObject([
      { id: 'only', triggers: ['task.start', 'task.resume'], publishes: [{ topic: 'task.complete' }] },
    ]);
  });

  it('keep their hooks, those of all and the comments', async () => {
    const { text, changes, left } = await migrateText(read('massgen-hooks/massgen.yml'), 'x.yml');
    expect(left).toEqual([]);
    expect(text).toContain(`  agent1:
    triggers: [task.start, task.resume]
    publishes: [agent1.done]
    profile: creator
    # Per-agent hooks - extend global by default
    hooks:
      PreToolUse:
        - matcher: "Write"
          handler: "custom_write_hook.py"
          type: "command"
      PostToolUse:
        override: true # Only use per-agent hooks, disable global
        hooks:
          - handler: "agent1_logging.py"
            type: "command"
`);
    expect(text).toContain('# Global hooks - apply to ALL agents\nhooks:\n  PreToolUse:\n    - matcher: "*"\n');
    expect(changes).toContain('agents.agent1.backend.hooks is now hats.agent1.hooks.');
    expect(changes).toContain(
      'hats.agent1 has the agent of cli.backend. Only the native one asks hooks: cli: {backend: {type: native, …}}',
    );
  });

  it('have hooks of the hat and of the backend apart where there are both', async () => {
    const hooks = (name: string): string => `{PreToolUse: [{command: "${name} x"}]}`;
    const yaml = `agents:\n  - {id: a, name: A, hooks: ${hooks('hat')}, backend: {type: claude, model: m, hooks: ${hooks('backend')}}}\nhooks: ${hooks('all')}\n`;
    const { text } = await migrateText(yaml, 'x.yml');
    expect(findingsOf(text)).toEqual([]);
    expect(settingsOf(text).backendHooks?.['a.0']?.map(({ name }) => name)).toEqual(['all x', 'hat x', 'backend x']);
  });

  it('get ids that a hat may have, each its own', async () => {
    const backend = 'backend: {type: claude_code}';
    const yaml = `agents:\n  - {id: "my agent", ${backend}}\n  - {id: ralph, ${backend}}\n  - {${backend}}\n  - {id: my_agent, ${backend}}\n`;
    const { text } = await migrateText(yaml, 'x.yml');
    expect(settingsOf(text).spec.hats?.map(({ id }) => id)).toEqual(['my_agent', 'ralph_2', 'agent3', 'my_agent_2']);
    expect(settingsOf(text).backends['agent3']).toMatchObject([{ type: 'claude' }]);
  });

  it('mean the same where parts of them are aliases', async () => {
    const yaml = 'agents:\n  - {id: a, backend: &b {type: openai, model: m, system_message: Work.}}\n  - {id: c, backend: *b}\n';
    const { text } = await migrateText(yaml, 'x.yml');
    const { spec, backends } = settingsOf(text);
    expect(spec.hats).toMatchObject([{ instructions: 'Work.' }, { instructions: 'Work.' }]);
    expect(backends['c']).toEqual(backends['a']);
  });

  it('are told of what is left out, and of rules that are held against a call in another order here', async () => {
    const yaml = `agents: [{id: a, backend: {type: azure_openai, api_key: x, temperature: 1, permissions: {allow: [bash], ask: [bash]}}}]
permissions: {allow: [bash], ask: [write_file]}
`;
    const { changes, dropped } = await migrateText(yaml, 'x.yml');
    expect(dropped).toEqual([
      'agents.a.backend.api_key was left out. Keys come from the environment: api_key_env.',
      'agents.a.backend.temperature was left out. It has no equal here.',
      'agents.a.backend.type was left out: nothing here is "azure_openai". The hat has the agent of cli.',
    ]);
    for (const path of ['permissions', 'hats.a.permissions'])
      expect(changes).toContain(
        `${path}: a call that is both under allow and under ask was allowed there. Here ask comes first: somebody is asked about it.`,
      );
  });

  it('are never taken for those of a file that has hats', async () => {
    expect((await migrateText('hats: {a: {triggers: [task.start, task.resume]}}\nagents: [{id: x}]\n', 'x.yml')).text).toContain('agents:');
  });
});
