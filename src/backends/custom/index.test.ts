import { describe, expect, it } from 'vitest';
import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import type { Invocation } from '../describe/invocation.ts';
import { planCustom } from './index.ts';

function plan(spec: Partial<BackendSpec>, prompt = 'Fix it'): Invocation {
  const whole: BackendSpec = { type: 'custom', command: './agent.sh', args: ['-v'], env: {}, permissions: 'bypass', ...spec };
  return planCustom({ spec: whole, prompt, promptFile: '/t/prompt.md', place: 'arg', isRoot: false, watchesLimits: true, env: {} });
}

describe('a custom command line', () => {
  it('ends with the prompt', () => {
    expect(plan({})).toEqual({ command: './agent.sh', args: ['-v', 'Fix it'], stdin: 'none', env: {}, format: 'text', warnings: [] });
  });

  it('holds the flag before the prompt, joined to it where it ends so', () => {
    expect(plan({ promptFlag: '--prompt' }).args).toEqual(['-v', '--prompt', 'Fix it']);
    expect(plan({ promptFlag: '--prompt=' }).args).toEqual(['-v', '--prompt=Fix it']);
  });

  it("prompt is written to the CLI's stdin with prompt_mode stdin", () => {
    expect(plan({ promptMode: 'stdin' })).toMatchObject({ args: ['-v'], stdin: 'prompt', warnings: [] });
  });

  it('ends with the path of the prompt file', () => {
    expect(plan({ promptMode: 'file' })).toMatchObject({ args: ['-v', '/t/prompt.md'], stdin: 'none' });
    expect(plan({ promptMode: 'file', promptFlag: '-f' }).args).toEqual(['-v', '-f', '/t/prompt.md']);
  });

  it("hands a prompt that begins with a dash over as it is: the program is the user's own", () => {
    expect(plan({}, '- do this').args.at(-1)).toBe('- do this');
  });

  it('never cuts a prompt that is too long for an argument: it goes by standard input, with a warning', () => {
    const { args, stdin, warnings } = plan({ promptFlag: '--prompt' }, 'é'.repeat(60_000));
    expect(args).toEqual(['-v']);
    expect(stdin).toBe('prompt');
    expect(warnings[0]).toContain('standard input');
  });

  it('gives it as a file where the flag is one for files', () => {
    const { args, stdin, warnings } = plan({ promptFlag: '--prompt-file' }, 'x'.repeat(200_000));
    expect(args).toEqual(['-v', '--prompt-file', '/t/prompt.md']);
    expect(stdin).toBe('none');
    expect(warnings[0]).toContain('file');
  });

  it('cannot give a zero byte as an argument', () => {
    expect(plan({}, 'a\0b')).toMatchObject({ stdin: 'prompt', args: ['-v'] });
  });

  it('names the stream that its output is', () => {
    expect(plan({ outputFormat: 'codex' }).format).toBe('codex');
  });
});
