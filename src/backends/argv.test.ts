import { describe, expect, it } from 'vitest';
import type { BackendSpec, BackendType } from '../core/backends/backend-spec.ts';
import { planAcp } from './acp/index.ts';
import { listBackends } from './clis.ts';
import type { Invocation, InvocationOrder } from './describe/invocation.ts';

const PROMPT = 'Fix it';
const ORDER = { prompt: PROMPT, promptFile: '/t/prompt.md', place: 'arg', isRoot: false, watchesLimits: true, env: {} } as const;

function plan(type: BackendType, spec: Partial<BackendSpec> = {}, order: Partial<InvocationOrder> = {}): Invocation {
  const descriptor = listBackends().find((candidate) => candidate.type === type);
  if (descriptor === undefined) throw new Error(`no ${type}`);
  return descriptor.plan({ ...ORDER, spec: { type, args: [], env: {}, permissions: 'bypass', ...spec }, ...order });
}

/** The whole command line: with bypass, without, with a model, with the prompt on standard input (or in a file). */
const TABLE: readonly (readonly [type: BackendType, format: string, bypass: string, plain: string, model: string, elsewhere: string])[] = [
  [
    'codex',
    'codex',
    'codex exec -c allow_login_shell=false --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox PROMPT',
    'codex exec -c allow_login_shell=false --json --skip-git-repo-check PROMPT',
    'codex exec -c allow_login_shell=false -m M --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox PROMPT',
    'codex exec -c allow_login_shell=false --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox - <PROMPT',
  ],
  [
    'gemini',
    'gemini',
    'gemini --yolo --skip-trust -o stream-json -p PROMPT',
    'gemini --skip-trust -o stream-json -p PROMPT',
    'gemini -m M --yolo --skip-trust -o stream-json -p PROMPT',
    'gemini --yolo --skip-trust -o stream-json <PROMPT',
  ],
  [
    'opencode',
    'opencode',
    'opencode run --format json --print-logs --log-level INFO PROMPT',
    'opencode run --format json --print-logs --log-level INFO PROMPT',
    'opencode run -m M --format json --print-logs --log-level INFO PROMPT',
    'opencode run --format json --print-logs --log-level INFO <PROMPT',
  ],
  ['pi', 'pi', 'pi -p --mode json PROMPT', 'pi -p --mode json PROMPT', 'pi --model M -p --mode json PROMPT', 'pi -p --mode json <PROMPT'],
  [
    'copilot',
    'copilot',
    'copilot --allow-all --no-auto-update --no-ask-user --output-format json -p PROMPT',
    'copilot --no-auto-update --no-ask-user --output-format json -p PROMPT',
    'copilot --model M --allow-all --no-auto-update --no-ask-user --output-format json -p PROMPT',
    'copilot --allow-all --no-auto-update --no-ask-user --output-format json <PROMPT',
  ],
  [
    'qwen',
    'qwen',
    'qwen --yolo -o stream-json --include-partial-messages -p PROMPT',
    'qwen -o stream-json --include-partial-messages -p PROMPT',
    'qwen -m M --yolo -o stream-json --include-partial-messages -p PROMPT',
    'qwen --yolo -o stream-json --include-partial-messages <PROMPT',
  ],
  [
    'auggie',
    'auggie',
    'auggie -p --output-format json -i PROMPT',
    'auggie -p --output-format json -i PROMPT',
    'auggie -m M -p --output-format json -i PROMPT',
    'auggie -p --output-format json <PROMPT',
  ],
  [
    'amp',
    'text',
    'amp --dangerously-allow-all -x PROMPT',
    'amp -x PROMPT',
    'amp --dangerously-allow-all -x PROMPT',
    'amp --dangerously-allow-all -x <PROMPT',
  ],
  [
    'kiro',
    'text',
    'kiro-cli chat --no-interactive --trust-all-tools PROMPT',
    'kiro-cli chat --no-interactive PROMPT',
    'kiro-cli chat --no-interactive --trust-all-tools --model M PROMPT',
    'kiro-cli chat --no-interactive --trust-all-tools <PROMPT',
  ],
];

const toLine = ({ command, args, stdin }: Invocation): string =>
  [command, ...args.map((arg) => (arg === PROMPT ? 'PROMPT' : arg)), ...(stdin === 'prompt' ? ['<PROMPT'] : [])].join(' ');

describe.each(TABLE)('the command line of %s', (type, format, bypass, plain, model, elsewhere) => {
  it('is the one that was measured', () => {
    expect(toLine(plan(type))).toBe(bypass);
    expect(plan(type).format).toBe(format);
  });

  it('bypasses nothing under default permissions', () => {
    expect(toLine(plan(type, { permissions: 'default' }))).toBe(plain);
    expect(plan(type, { permissions: 'default' }).env).toEqual({});
  });

  it('names the model', () => expect(toLine(plan(type, { model: 'M' }))).toBe(model));

  it('takes the prompt on standard input', () => expect(toLine(plan(type, {}, { place: 'stdin' }))).toBe(elsewhere));

  it('never leaves standard input open', () => expect(plan(type).stdin).toBe('none'));

  it("keeps the user's arguments away from the prompt", () => {
    const { args } = plan(type, { args: ['--theirs', 'a', 'b'] });
    expect(args.join(' ')).toContain('--theirs a b');
    expect(args.at(-1)).toBe(PROMPT);
    if (type !== 'kiro') expect(args.indexOf('b')).toBeLessThan(args.length - 2);
  });
});

describe('the command line of cline', () => {
  it('is its flag and the prompt', () => expect(toLine(plan('cline', { model: 'M' }))).toBe('cline -m M --json PROMPT'));

  it('names a file where the prompt cannot be an argument: it takes none on standard input', () => {
    const { args, stdin } = plan('cline', {}, { place: 'file' });
    expect(args[1]).toContain('/t/prompt.md');
    expect(stdin).toBe('none');
  });
});

describe("the user's own flags", () => {
  it.each([
    [
      'codex',
      ['--json', '-m', 'x', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check'],
      'codex exec --json -m x --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check -c allow_login_shell=false -- PROMPT',
    ],
    ['codex', ['-s', 'read-only'], 'codex exec -s read-only -c allow_login_shell=false --json --skip-git-repo-check PROMPT'],
    [
      'codex',
      ['exec', '--model=x'],
      'codex exec --model=x -c allow_login_shell=false --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox PROMPT',
    ],
    ['gemini', ['--approval-mode', 'plan', '-o', 'text'], 'gemini --approval-mode plan -o text --skip-trust -p PROMPT'],
    ['opencode', ['run', '--format', 'default'], 'opencode run --format default PROMPT'],
    ['pi', ['-p', '--mode', 'text'], 'pi --mode text -p PROMPT'],
    ['copilot', ['--allow-tool', 'write'], 'copilot --allow-tool write --no-auto-update --no-ask-user --output-format json -p PROMPT'],
    ['amp', ['-x', '--stream-json'], 'amp --stream-json --dangerously-allow-all -x PROMPT'],
    ['kiro', ['chat', '--trust-tools=fs_read'], 'kiro-cli chat --no-interactive --trust-tools=fs_read PROMPT'],
  ] as const)('win over ours, once: %s %j', (type, args, line) =>
    expect(toLine(plan(type, { args, model: type === 'codex' && args.length > 2 ? 'y' : undefined } as Partial<BackendSpec>))).toBe(line),
  );

  it('change what is read where they change what is said', () => {
    expect(plan('gemini', { args: ['-o', 'text'] }).format).toBe('text');
    expect(plan('pi', { args: ['--mode', 'text'] }).format).toBe('text');
    expect(plan('amp', { args: ['--stream-json'] }).format).toBe('claude');
  });
});

describe('opencode', () => {
  const config = (env: Record<string, string>): unknown => JSON.parse(plan('opencode', {}, { env }).env['OPENCODE_CONFIG_CONTENT'] ?? '{}');

  it('is allowed everything by its configuration', () => expect(config({})).toEqual({ permission: 'allow' }));

  it("keeps the user's configuration, and what it says about permissions", () => {
    expect(config({ OPENCODE_CONFIG_CONTENT: '{"model":"a/b","share":"disabled"}' })).toEqual({
      model: 'a/b',
      share: 'disabled',
      permission: 'allow',
    });
    expect(plan('opencode', {}, { env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"ask"}}' } }).env).toEqual({});
    expect(plan('opencode', {}, { env: { OPENCODE_PERMISSION: '{"bash":"deny"}' } }).env).toEqual({});
  });

  it('leaves alone what it cannot read, and says so', () => {
    const { env, warnings } = plan('opencode', {}, { env: { OPENCODE_CONFIG_CONTENT: '{ // mine\n}' } });
    expect(env).toEqual({});
    expect(warnings[0]).toContain('OPENCODE_CONFIG_CONTENT');
  });
});

describe('an agent', () => {
  it('Hat with backend: { type: "kiro", agent: "x" } uses Kiro with --agent flag', () => {
    expect(toLine(plan('kiro', { agent: 'x' }))).toBe('kiro-cli chat --no-interactive --trust-all-tools --agent x PROMPT');
  });

  it.each(['codex', 'gemini', 'pi', 'qwen', 'cline', 'auggie', 'amp'] as const)('is ignored by %s, with a word', (type) => {
    expect(plan(type, { agent: 'x' }).args).not.toContain('x');
    expect(plan(type, { agent: 'x' }).warnings.join()).toContain('agent');
  });
});

it('an ACP agent is started as it was written, with its input open', () => {
  const spec: BackendSpec = { type: 'acp', command: 'gemini', args: ['--acp'], env: {}, permissions: 'bypass' };
  expect(planAcp({ ...ORDER, spec })).toMatchObject({ command: 'gemini', args: ['--acp'], stdin: 'open' });
});

it('no flag is added for the sake of limits where nobody looks for them, or where the output is no stream', () => {
  const added = /print-logs|include-partial/;
  for (const type of ['opencode', 'qwen'] as const) {
    expect(plan(type).args.join()).toMatch(added);
    expect(plan(type, {}, { watchesLimits: false }).args.join()).not.toMatch(added);
    expect(plan(type, { args: [type === 'qwen' ? '-o=text' : '--format=default'] }).args.join()).not.toMatch(added);
  }
});

it('a conversation goes on where the CLI can, and where nothing of its user speaks against it', () => {
  const session = 'f236e945-36ba';
  expect(plan('claude', {}, { session }).args.join(' ')).toContain(`--resume ${session} `);
  expect(plan('codex', {}, { session }).args.slice(-3)).toEqual(['resume', session, PROMPT]);
  expect(plan('codex', {}, { session, place: 'stdin' }).args.slice(-3)).toEqual(['resume', session, '-']);
  const can = (type: BackendType, args: readonly string[]) =>
    listBackends()
      .find((known) => known.type === type)
      ?.canResume?.(args);
  expect([can('claude', []), can('claude', ['--no-session-persistence']), can('claude', ['--session-id=x'])]).toEqual([true, false, false]);
  expect([can('codex', []), can('codex', ['exec', '--ephemeral']), can('gemini', [])]).toEqual([true, false, undefined]);
});
