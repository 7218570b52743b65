import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingsOf, settingsOf } from '../config-fixtures.ts';
import { migrateText } from './migrate-text.ts';

const FOREIGN = new URL('../../../fixtures/foreign/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOREIGN), 'utf8');

describe('agents of MassGen', () => {
  it('wear one hat as a panel, with their models and their words', async () => {
    const { outcome, text, changes, dropped } = await migrateText(read('massgen-multi.yml'), 'x.yml');
    expect(outcome).toBe('migrated');
    expect(findingsOf(text)).toEqual([]);
    const { spec, backends, profileNames } = settingsOf(text);
    expect(spec.hats).toMatchObject([
      {
        ...{ id: 'team', triggers: ['task.start', 'task.resume'] },
        panel: {
          agents: [
            { id: 'first', instructions: 'You are careful.' },
            { id: 'second', instructions: '' },
          ],
          maxAnswersPerAgent: 1,
        },
      },
    ]);
    expect(backends['team']).toMatchObject([
      { type: 'native', model: 'gpt-5', native: { provider: 'openai' } },
      { type: 'native', model: 'gemini-2.5-flash', native: { provider: 'google' } },
    ]);
    expect(backends['ralph']).toEqual([backends['team']?.[0]]);
    expect(profileNames['team']).toBe('creator');
    expect(dropped).toEqual([
      'orchestrator.snapshot_storage was left out. What agents hand in is kept in the folder of the run.',
      'ui was left out. It has no equal here.',
    ]);
    expect(changes).toContain(
      'The agents first, second wear one hat, team, as a panel: they answer side by side and vote, and each may write files (profile: creator). What wins ends the run.',
    );
    expect(changes).toContain(
      'Each agent answers once, and then votes: there it may answer as often as it likes. More: max_answers_per_agent.',
    );
    expect(changes).toContain('agents.first.system_message is now hats.team.panel.agents.first.instructions.');
  });

  it('are coordinated as they were, as far as there is a counterpart', async () => {
    const { text, changes, dropped } = await migrateText(read('massgen-coordination.yml'), 'x.yml');
    expect(findingsOf(text)).toEqual([]);
    expect(settingsOf(text).spec.hats?.[0]).toMatchObject({
      timeoutMs: 5_400_000,
      panel: {
        ...{ maxAnswersPerAgent: 2, maxAnswersTotal: 5, voting: 'lenient', novelty: 'off', injection: 'restart', strategy: 'synthesize' },
        ...{ timeoutMs: 5_400_000, roundTimeoutMs: 600_000, graceMs: 60_000 },
      },
    });
    expect(changes).toContain('orchestrator.timeout.orchestrator_timeout_seconds is now hats.team.panel.timeout.');
    expect(changes).toContain('timeout_settings.initial_round_timeout_seconds is now hats.team.panel.round_timeout.');
    // Every key that says nothing here is told by its name.
    expect(dropped.map((line) => line.split(' ')[0])).toEqual([
      'orchestrator.context_paths',
      'orchestrator.coordination',
      'orchestrator.skip_coordination_rounds',
      'orchestrator.no_such_key',
      'timeout_settings.subsequent_round_timeout_seconds',
      'orchestrator.max_midstream_injections_per_round',
      'ui',
    ]);
  });

  it.each([
    ['voting_sensitivity: checklist_gated', 'There are lenient, balanced and strict here: it is balanced.'],
    ['max_new_answers_per_agent: null', 'Without a number an agent answers once here.'],
    ['max_new_answers_global: -1', 'Without a number there is no limit for all together.'],
    ['disable_injection: false', 'Agents hear of answers while they work here, too.'],
    ['answer_novelty_requirement: strict', 'Only further answers of an agent are compared, and each gives one.'],
    ['final_answer_strategy: winner_present', 'The answer that won is taken as it is; strategy: synthesize writes one from all.'],
    ['orchestrator: {a: b}', 'It has no equal here.'],
  ])('are told why nothing comes of %s', async (line, why) => {
    const { text, dropped } = await migrateText(`agents: [{id: a, backend: {type: codex}}, {id: b}]\norchestrator: {${line}}\n`, 'x.yml');
    expect(findingsOf(text)).toEqual([]);
    expect(dropped).toHaveLength(1);
    expect(dropped[0]).toContain(why);
  });

  it('are not asked what cannot be read', async () => {
    const agents = 'agents: [{id: a, backend: {type: codex}}, {id: b}, {id: c}]';
    for (const coordination of [
      'orchestrator: x',
      'orchestrator: [1]',
      'orchestrator: {timeout: 5}',
      'timeout_settings: null',
      'orchestrator: &a {x: 1}',
    ]) {
      const { text, outcome } = await migrateText(`${agents}\n${coordination}\n`, 'x.yml');
      expect([outcome, findingsOf(text)]).toEqual(['migrated', []]);
    }
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
    expect(text).toContain(`        - id: agent1
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
    expect(changes).toContain('agents.agent1.backend.hooks is now hats.team.panel.agents.agent1.hooks.');
    expect(changes).toContain(
      'hats.team.panel.agents.agent1 has the agent of cli.backend. Only the native one asks hooks: cli: {backend: {type: native, …}}',
    );
  });

  it('have a hat each where one has permissions of its own', async () => {
    const rules = 'permissions: {deny: [bash]}';
    const { text, changes } = await migrateText(`agents: [{id: a, backend: {type: codex}}, {id: b, ${rules}}]\n`, 'x.yml');
    expect(settingsOf(text).spec.hats).toMatchObject([
      { id: 'a', publishes: [{ topic: 'a.done' }] },
      { id: 'b', triggers: ['a.done'] },
    ]);
    expect(changes.join('\n')).toContain('They are no panel, for b has permissions of its own, and the agents of one hat share them.');
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
    expect(settingsOf(text).spec.hats?.[0]?.panel?.agents.map(({ id }) => id)).toEqual(['my_agent', 'ralph_2', 'agent3', 'my_agent_2']);
    expect(settingsOf(text).backends['team']?.[2]).toMatchObject({ type: 'claude' });
  });

  it('mean the same where parts of them are aliases', async () => {
    const yaml = 'agents:\n  - {id: a, backend: &b {type: openai, model: m, system_message: Work.}}\n  - {id: c, backend: *b}\n';
    const { text } = await migrateText(yaml, 'x.yml');
    const { spec, backends } = settingsOf(text);
    expect(spec.hats?.[0]?.panel?.agents).toMatchObject([{ instructions: 'Work.' }, { instructions: 'Work.' }]);
    expect(backends['team']?.[1]).toEqual(backends['team']?.[0]);
  });

  it('are told of what is left out, and of rules that are held against a call in another order here', async () => {
    const yaml = `agents: [{id: a, backend: {type: azure_openai, api_key: x, temperature: 1, permissions: {allow: [bash], ask: [bash]}}}]
permissions: {allow: [bash], ask: [write_file]}
`;
    const { changes, dropped } = await migrateText(yaml, 'x.yml');
    expect(dropped).toEqual([
      'agents.a.backend.api_key was left out. Keys come from the environment: api_key_env.',
      'agents.a.backend.temperature was left out. It has no equal here.',
      'agents.a.backend.type was left out: nothing here is "azure_openai". It has the agent of cli.',
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
