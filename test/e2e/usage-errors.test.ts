import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

interface Mistake {
  readonly what: string;
  readonly args: readonly string[];
  /** `ralph.yml`; absent: a good one. */
  readonly config?: string | Uint8Array;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly folders?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What standard error names. */
  readonly says: string | RegExp;
  /** Default 2. */
  readonly code?: number;
}

const RUN = ['run', '-p', 'x'];
const HATS =
  'hats:\n  a: { triggers: [task.start, task.resume, b.done], publishes: [b.task] }\n  b: { triggers: [b.task], publishes: [b.done] }\n';

/** A configuration with errors is what it is, not wrong usage: exit code 1 (docs/exit-codes.md). */
const MISTAKES: readonly Mistake[] = [
  { what: 'a command that is none', args: ['rum'], says: 'Did you mean `ralph run`' },
  { what: 'an option that is none', args: ['run', '--promt', 'x'], says: '--prompt' },
  { what: 'an option without its value', args: ['run', '-p'], says: '--prompt' },
  { what: 'two tasks', args: ['run', 'one', '-p', 'two'], says: 'more than once' },
  { what: 'too many arguments', args: ['status', 'a', 'b'], says: /argument/i },
  { what: 'an option before the command', args: ['-q', 'resume'], says: 'ralph resume' },
  { what: 'a number that is none', args: [...RUN, '--max-iterations', 'many'], says: 'max' },
  { what: 'a number below one', args: [...RUN, '--max-iterations', '0'], says: 'max' },
  { what: 'a sum of money that is none', args: [...RUN, '--max-cost', 'cheap'], says: 'cost' },
  { what: 'a format that is none', args: [...RUN, '--format', 'xml'], says: 'ndjson' },
  { what: '--quiet with --verbose', args: [...RUN, '-q', '-v'], says: '--verbose' },
  { what: '--hat without --once', args: [...RUN, '--hat', 'a'], says: '--once' },
  {
    what: 'a hat that is none',
    args: [...RUN, '--hat', 'aa', '--once'],
    config: `cli: { command: ./agent.sh }\n${HATS}`,
    says: 'Hats: a, b',
  },
  { what: 'a backend that is none', args: [...RUN, '-b', 'cluade'], says: /claude/ },
  { what: 'an event pattern that is none', args: ['events', '--topic', 'build*'], says: 'build.*' },
  { what: '--continue with a task', args: ['run', '--continue', '-p', 'x'], says: '--continue' },
  { what: 'a shell that is none', args: ['completions', 'tcsh'], says: 'bash' },
  { what: 'a configuration that is missing', args: [...RUN, '-c', 'missing.yml'], says: 'missing.yml' },
  { what: 'a folder as the configuration', args: [...RUN, '-c', 'folder'], folders: ['folder'], says: 'folder' },
  { what: 'a prompt file that is missing', args: ['run', '-P', 'missing.md'], says: 'missing.md' },
  { what: 'a folder as the prompt file', args: ['run', '-P', 'folder'], folders: ['folder'], says: 'folder' },
  { what: 'a prompt that is empty', args: ['run', '-p', ' '], says: /prompt/i },
  { what: 'a prompt file that is empty', args: ['run', '-P', 'e.md'], files: { 'e.md': '\n' }, says: 'e.md' },
  {
    what: 'a prompt that is no text',
    args: ['run', '-P', 'p.md'],
    files: { 'p.md': Uint8Array.of(0xff, 0xfe, 0x00, 0xc3) },
    says: 'UTF-8',
  },
  { what: 'a configuration by RALPH_CONFIG that is missing', args: RUN, env: { RALPH_CONFIG: 'gone.yml' }, says: 'gone.yml' },
  { what: 'no task at all', args: ['run'], says: 'PROMPT.md' },
  { what: 'YAML that is none', args: RUN, config: 'cli: { command: ./agent.sh\nhats: [', says: /ralph\.yml:\d+:\d+/, code: 1 },
  { what: 'YAML with a tab', args: RUN, config: 'cli:\n\tcommand: ./agent.sh\n', says: /ralph\.yml:2/, code: 1 },
  { what: 'a list as the configuration', args: RUN, config: '- a\n- b\n', says: 'ralph.yml', code: 1 },
  { what: 'a number where text belongs', args: RUN, config: 'cli: { command: 7 }\n', says: /ralph\.yml:1:17/, code: 1 },
  {
    what: 'text where a number belongs',
    args: RUN,
    config: 'cli: { command: ./agent.sh }\nevent_loop: { max_iterations: lots }\n',
    says: 'max_iterations',
    code: 1,
  },
  { what: 'a list where a map belongs', args: RUN, config: 'cli: { command: ./agent.sh }\nhats: [a, b]\n', says: 'hats', code: 1 },
  {
    what: 'a hat without triggers',
    args: RUN,
    config: 'cli: { command: ./agent.sh }\nhats: { a: { publishes: [x] } }\n',
    says: 'triggers',
    code: 1,
  },
  {
    what: 'no hats where hats are written',
    args: RUN,
    config: 'cli: { command: ./agent.sh }\nhats: {}\n',
    says: 'Hat collection is empty.',
    code: 1,
  },
  { what: 'a configuration that is no text', args: RUN, config: Uint8Array.of(0x63, 0xff, 0xfe, 0x3a), says: 'ralph.yml', code: 1 },
  { what: 'an anchor that holds itself', args: RUN, config: 'x-a: &a [*a]\ncli: { command: ./agent.sh }\n', says: 'ralph.yml', code: 1 },
];

describe.concurrent('a mistake is named, and nothing is started:', () => {
  for (const { what, args, config, files = {}, folders = [], env = {}, says, code = 2 } of MISTAKES) {
    test(what, async () => {
      await withPlace(toFiles('', 'touch started; echo LOOP_COMPLETE'), async (folder) => {
        if (config !== undefined) writeFileSync(join(folder, 'ralph.yml'), config);
        for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
        for (const name of folders) mkdirSync(join(folder, name));
        const result = await ralph(folder, args, env);
        expect(result.stderr).toMatch(says);
        expect(result.code, result.stderr).toBe(code);
        expect(result.stdout).toBe('');
        expect(result.stderr).not.toMatch(/bug in Ralph|\.[cm]?[jt]s:\d+/);
        const { stderr } = await ralph(folder, ['status']);
        expect(stderr).toContain('There is no run');
      });
    });
  }
});

describe.concurrent('a run whose turns fail says why:', () => {
  test('an agent that is not there', async () => {
    await withPlace({ 'ralph.yml': 'cli: { command: ./gone.sh }\nevent_loop: { max_consecutive_failures: 2 }\n' }, async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, RUN);
      expect(code, stderr).toBe(1);
      expect(stderr).toContain('gone.sh');
      expect(stdout).not.toContain('── 1');
    });
  });

  test('an agent that may not be executed', async () => {
    await withPlace(
      { 'ralph.yml': 'cli: { command: ./plain }\nevent_loop: { max_consecutive_failures: 1 }\n', plain: '#!/bin/sh\n' },
      async (folder) => {
        const { code, stderr } = await ralph(folder, RUN);
        expect(code).toBe(1);
        expect(stderr).toContain('./plain');
      },
    );
  });
});
