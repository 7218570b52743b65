import { expect, it } from 'vitest';
import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import type { Invocation } from '../describe/invocation.ts';
import { claude } from './index.ts';

const SPEC: BackendSpec = { type: 'claude', args: [], env: {}, permissions: 'bypass' };
const plan = (
  spec: Partial<BackendSpec> = {},
  order: { place?: 'arg' | 'stdin'; isRoot?: boolean; env?: Record<string, string> } = {},
): Invocation =>
  claude.plan({
    spec: { ...SPEC, ...spec },
    prompt: 'Fix it',
    promptFile: '/t/prompt.md',
    place: 'arg',
    isRoot: false,
    watchesLimits: true,
    env: {},
    ...order,
  });

const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages', '--setting-sources', 'project,local'];
const BYPASS = '--dangerously-skip-permissions';

it('claude -p "prompt" is invoked', () => {
  expect(plan()).toEqual({
    command: 'claude',
    args: [...STREAM, BYPASS, '-p', 'Fix it'],
    stdin: 'none',
    env: {},
    format: 'claude',
    warnings: [],
  });
});

it('leaves the prompt to standard input where it is to go there', () => {
  expect(plan({}, { place: 'stdin' })).toMatchObject({ args: [...STREAM, BYPASS, '-p'], stdin: 'prompt' });
});

it('adds model and agent, and takes the program that was named', () => {
  expect(plan({ command: '/opt/claude', model: 'opus', agent: 'reviewer' })).toMatchObject({
    command: '/opt/claude',
    args: ['--model', 'opus', '--agent', 'reviewer', ...STREAM, BYPASS, '-p', 'Fix it'],
  });
});

it('puts a list-valued flag of the user where it cannot swallow the prompt', () => {
  const { args } = plan({ args: ['--allowedTools', 'Read', 'Grep'] });
  expect(args.slice(0, 4)).toEqual(['--allowedTools', 'Read', 'Grep', '--output-format']);
  expect(args.slice(-2)).toEqual(['-p', 'Fix it']);
});

it("does not repeat what the user's own arguments hold", () => {
  expect(plan({ model: 'opus', args: ['-p', '--verbose', '--model=haiku', BYPASS] }).args).toEqual([
    '--verbose',
    '--model=haiku',
    BYPASS,
    '--output-format',
    'stream-json',
    '--include-partial-messages',
    '--setting-sources',
    'project,local',
    '-p',
    'Fix it',
  ]);
});

it('reads plain text when the user asks for another output format', () => {
  expect(plan({ args: ['--output-format', 'text'] })).toMatchObject({
    args: ['--output-format', 'text', '--setting-sources', 'project,local', BYPASS, '-p', 'Fix it'],
    format: 'text',
  });
});

it('leaves the bypass out under default permissions, and under a permission mode of the user', () => {
  expect(plan({ permissions: 'default' }).args).not.toContain(BYPASS);
  expect(plan({ args: ['--permission-mode', 'plan'] }).args).not.toContain(BYPASS);
});

it('sets IS_SANDBOX for root, which claude refuses its bypass otherwise, unless it is set', () => {
  expect(plan({}, { isRoot: true }).env).toEqual({ IS_SANDBOX: '1' });
  expect(plan({}, { isRoot: true, env: { IS_SANDBOX: '0' } }).env).toEqual({});
  expect(plan({ permissions: 'default' }, { isRoot: true }).env).toEqual({});
});

it("leaves the person's own settings out, unless they are asked for or the user's arguments name sources", () => {
  expect(plan({ userSettings: true }).args).not.toContain('--setting-sources');
  expect(plan({ args: ['--setting-sources', 'user'] }).args.filter((arg) => arg === '--setting-sources')).toHaveLength(1);
});

it('with `prompt_mode: stream` the prompt is no argument: it is the first message of a conversation, unless the user chose a format', () => {
  const { args, stdin } = plan({ promptMode: 'stream' });
  expect([args.slice(args.indexOf('--input-format'), -1), args.at(-1), stdin]).toEqual([
    ['--input-format', 'stream-json', '--replay-user-messages', '--setting-sources', 'project,local', '--dangerously-skip-permissions'],
    '-p',
    'open',
  ]);
  expect(plan({ promptMode: 'stream', args: ['--output-format', 'text'] }).stdin).not.toBe('open');
});
