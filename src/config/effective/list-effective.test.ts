// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of configurations
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder } from '../config-fixtures.ts';
import { toKeyPathText } from '../findings/located.ts';
import { type LoadRequest, readConfig } from '../load-config.ts';
import type { Settings } from '../settings.ts';
import { toOriginText } from './list-effective.ts';
import { renderSettingsYaml, toSettingsTree } from './render-settings-yaml.ts';

type Files = Readonly<Record<string, string>>;

/** The settings in force, as `key = value` with where each came from. */
function originsOf(files: Files, request: Partial<LoadRequest> = {}): ReadonlyMap<string, string> {
  return inFolder(files, (cwd) => {
    const values = readConfig({ cwd, ...request, env: { HOME: cwd, ...request.env } }).listEffective();
    return new Map(values.map((entry) => [`${toKeyPathText(entry.path)} = ${JSON.stringify(entry.value)}`, toOriginText(entry.origin)]));
  });
}

describe('where each setting in force came from', () => {
  it('is the file and the place, also of an imported one, a variable, an assignment, a flag, or the default', () => {
    const files = {
      '.config/ralph/config.yml': 'event_loop:\n  on_limit: stop\n',
      'ralph.yml': 'event_loop:\n  max_iterations: 30\nhats:\n  a:\n    import: a.yml\n    description: x\ngates: [{run: make}]\n',
      'a.yml': 'triggers: [t]\nmax_activations: 2\n',
    };
    const request = {
      env: { RALPH_CONFIG_MODEL: 'm', RALPH_CONFIG_EVENT_LOOP__CHECKPOINT_INTERVAL: '3' },
      assignments: ['event_loop.timeout_seconds=1h'],
      flags: { maxCostUsd: '4', prompt: 'Do it.' },
    };
    const origins = originsOf(files, request);
    const expected = {
      'event_loop.on_limit = "stop"': '~/.config/ralph/config.yml:2:13',
      'event_loop.max_iterations = 30': 'ralph.yml:2:19',
      'event_loop.max_cost_usd = 4': '--max-cost',
      'event_loop.prompt = "Do it."': '-p',
      'event_loop.checkpoint_interval = 3': 'RALPH_CONFIG_EVENT_LOOP__CHECKPOINT_INTERVAL',
      'event_loop.timeout_seconds = "1h"': '-c event_loop.timeout_seconds=1h',
      'event_loop.routing = "exclusive"': 'default',
      'event_loop.retry.base_seconds = 5': 'default',
      'cli.model = "m"': 'RALPH_CONFIG_MODEL',
      'hats.a.description = "x"': 'ralph.yml:6:18',
      'hats.a.triggers = ["t"]': 'a.yml:1:1',
      'hats.a.max_activations = 2': 'a.yml:2:18',
      'gates[0].run = "make"': 'ralph.yml:7:15',
      'gates[0].timeout_seconds = 600': 'default',
    };
    for (const [setting, origin] of Object.entries(expected)) expect([setting, origins.get(setting)]).toEqual([setting, origin]);
    expect([...origins.keys()].some((key) => key.startsWith('event_loop.prompt_file'))).toBe(false);
  });

  it('hides the variables of agents, wherever they are set', () => {
    const yaml = `cli: {backend: claude, env: {API_KEY: s3cret, A: s3cret}}
hats: {a: {triggers: [x], backend: [{type: codex, env: {MY_PASSWORD: s3cret, B: "x$$s3cret"}}]}}`;
    const shown = [
      ...originsOf({ 'ralph.yml': yaml }, { flags: { backend: 'pi' } }).keys(),
      ...originsOf({ 'ralph.yml': yaml }).keys(),
    ].join('\n');
    expect(shown).not.toContain('s3cret');
    expect(shown).toContain('cli.env.A = "***"');
    const typed = originsOf({}, { assignments: ['cli.env.API_KEY=s3cret', 'cli.env={B_TOKEN: s3cret, C: s3cret}'] });
    expect(JSON.stringify([...typed])).not.toContain('s3cret');
    expect(typed.get('cli.env.API_KEY = "***"')).toBe('-c cli.env.API_KEY=***');
  });

  it('shows what came from a variable as the reference', () => {
    const yaml = `cli: {backend: claude, model: "\${S}-x", args: ["--key=\${S}"], env: {K: "\${S}", L: "s3cret\${S}"}}
event_loop: {max_iterations: "\${N}"}
hats: {a: {triggers: [x], backend: {type: codex, env: {K: "\${S}"}}}}`;
    for (const flags of [{}, { model: 'm' }, { backend: 'claude' }]) {
      const shown = [...originsOf({ 'ralph.yml': yaml }, { env: { S: 's3cret', N: '42' }, flags }).keys()].join('\n');
      expect(shown).not.toMatch(/s3cret|42/);
      expect(shown).toContain('cli.args = ["--key=${S}"]');
      expect(shown).toContain('cli.env.K = "${S}"');
      expect(shown).toContain('cli.env.L = "***"');
      expect(shown).toContain('"env":{"K":"${S}"}');
    }
  });
});

/** Everything that can be said in a file, in ways that are easy to get wrong. */
const HARD = `
name: "007"
description: "a: b # c $\${NAME} — \\u0007 \${A:-x}"
mode: multi
event_loop:
  prompt: "\${NOT_READ} $$\\n\\n  indented\\nlast line \\n"
  completion_promise: "null"
  max_iterations: \${N:-12}
  max_cost_usd: $5
  timeout_seconds: 1h30m
  terminal_events: over
  starting_hat: "10"
cli:
  backend: [{type: claude, model: 4.10}, codex]
  args: [--x, 5, "true", "- a"]
  env: {A: "\${NOPE:-1}"}
hats:
  zebra: {subscriptions: [a, b.*, task.resume], publishes: [{topic: c, target: "10"}, task.complete], instructions_file: sub/z.md}
  "10":
    import: sub/ten.yml
    instructions: |
      First line.
        Indented: "quoted" #5

      Last line.
  a-b: {triggers: "*", publishes: "*", backend: {command: ./x.sh, args: ["\${B:-y}"], env: {C: "\${C:-d}"}}}
gates:
  - run: "echo \${HOME} $$ > x"
    on: [c, d.*]
prices: {"gpt-4.1": {input: 1, output: 2.5, as_of: 2026-11-21}}
ralph: {backend: {type: claude, args: , model: }}
notify: |
  one
  two
worktree: {link: []}
`;

/** What a run would be started with, whatever it was read from. */
function withoutSource(settings: Settings | null): object {
  const {
    configFiles: _,
    flags: __,
    hatsOverlay: ___,
    assignments: ____,
    digest: _____,
    objective: ______,
    ...rest
  } = settings as Settings;
  return rest;
}

describe('the settings in force as a file', () => {
  const files = {
    'ralph.yml': HARD,
    'sub/z.md': 'Z.',
    'sub/ten.yml': 'triggers: [task.start]\npublishes: [a]\ninstructions_file: ten.md',
    'sub/ten.md': 'Ten.',
  };

  it.each<[string, Partial<LoadRequest>]>([
    ['as they are', {}],
    ['with settings from elsewhere', { assignments: ['hats.zebra.max_activations=2'], env: { RALPH_CONFIG_CORE__SPECS_DIR: 'docs' } }],
    ['with another model', { flags: { model: 'other' } }],
    ['with another agent', { flags: { backend: 'codex' } }],
    ['with an agent that is nowhere in the file', { flags: { backend: 'pi', model: 'm', maxIterations: 3 } }],
    ['with a prompt of the command line', { flags: { prompt: 'Say: "hi"\n# no comment' } }],
    ['with another team', { hatsOverlay: 'preset:feature' }],
  ])('say the same when they are loaded again: %s', (_, request) => {
    inFolder(files, (cwd) => {
      const before = readConfig({ cwd, ...request });
      expect(before.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').map((diagnostic) => diagnostic.message)).toEqual(
        [],
      );
      const text = renderSettingsYaml(before.listEffective());
      writeFileSync(join(cwd, 'ralph.yml'), text);
      const after = readConfig({ cwd });
      expect(after.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').map((diagnostic) => diagnostic.message)).toEqual([]);
      expect(withoutSource(after.draft)).toEqual(withoutSource(before.draft));
      expect(renderSettingsYaml(after.listEffective())).toBe(text);
      expect(toSettingsTree(after.listEffective())).toEqual(toSettingsTree(before.listEffective()));
    });
  });

  it('hold nothing that steers a terminal', () => {
    inFolder(files, (cwd) => {
      const text = renderSettingsYaml(readConfig({ cwd }).listEffective());
      expect([...text].filter((char) => char !== '\n' && (char < ' ' || (char >= '\u007f' && char < '\u00a0')))).toEqual([]);
    });
  });
});
