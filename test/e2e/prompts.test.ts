import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { type Finished, plainEnvironment, RALPH, ralph } from './ralph.ts';

/** Keeps what it was asked, however it got it. */
const KEEPER = 'if [ -n "$prompt" ]; then printf "%s" "$prompt" > asked.txt; else cat > asked.txt; fi; echo LOOP_COMPLETE';

/** Runs `ralph` with something on its standard input. */
function ralphWithInput(cwd: string, args: readonly string[], input: string | Buffer): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [RALPH, ...args], { cwd, env: plainEnvironment() }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code as unknown as number), signal: null, stdout, stderr }),
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function readAsked(folder: string): string {
  return readFileSync(join(folder, 'asked.txt'), 'utf8');
}

describe.concurrent('the task', () => {
  for (const { name, args, files, input } of [
    { name: 'by -p', args: ['run', '-p', 'raise the "roof" & $HOME'] },
    { name: 'by words', args: ['run', 'raise the "roof" & $HOME'] },
    { name: 'by words without a command', args: ['raise the "roof" & $HOME'] },
    { name: 'by a named file', args: ['run', '-P', 'my task.md'], files: { 'my task.md': 'raise the "roof" & $HOME\n' } },
    { name: 'by PROMPT.md', args: ['run'], files: { 'PROMPT.md': 'raise the "roof" & $HOME\n' } },
    { name: 'by PROMPT.md, with no command at all', args: [], files: { 'PROMPT.md': 'raise the "roof" & $HOME\n' } },
    { name: 'by standard input', args: ['run', '-P', '-'], input: 'raise the "roof" & $HOME\n' },
  ] as const) {
    test(`comes ${name}, and gets to the agent as it is`, async () => {
      await withPlace(toFiles('', KEEPER, files ?? {}), async (folder) => {
        const { code, stderr } = await (input === undefined ? ralph(folder, args) : ralphWithInput(folder, args, input));
        expect(code, stderr).toBe(0);
        expect(readAsked(folder)).toContain('raise the "roof" & $HOME');
      });
    });
  }

  test('from standard input is still there for a resume', async () => {
    await withPlace(toFiles('', `${KEEPER}; [ "$(nth turn)" -gt 1 ] || exit 7`), async (folder) => {
      const first = await ralphWithInput(folder, ['run', '-P', '-', '--max-iterations', '1'], 'a task from a pipe');
      expect(first.code, first.stdout).toBe(2);
      const second = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(second.code, second.stderr).toBe(0);
      expect(readAsked(folder)).toContain('a task from a pipe');
    });
  });

  const LONG = `BEGIN ${'0123456789 '.repeat(18_700)}END`;
  for (const mode of ['arg', 'stdin', 'file']) {
    test(`of 200 KB gets whole to an agent with prompt_mode ${mode}`, async () => {
      const body = mode === 'file' ? 'cp "$prompt" asked.txt; echo LOOP_COMPLETE' : KEEPER;
      const files = { ...toFiles('', body, { 'long.md': LONG }), 'ralph.yml': `cli: { command: ./agent.sh, prompt_mode: ${mode} }\n` };
      await withPlace(files, async (folder) => {
        const { code, stdout, stderr } = await ralph(folder, ['run', '-P', 'long.md']);
        expect(code, stdout + stderr).toBe(0);
        expect(readAsked(folder).includes(LONG)).toBe(true);
      });
    });
  }

  test('is asked for in words where it is missing', async () => {
    await withPlace(toFiles('', KEEPER), async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run']);
      expect(code).toBe(2);
      expect(stderr).toContain('PROMPT.md');
      expect(stderr).toContain('ralph run');
      expect(stdout).toBe('');
    });
  });

  const firstTurns = {
    'of one agent': '',
    'of the classic loop': 'mode: single\n',
    'of agents that do not commit': 'event_loop: { agent_commits: never }\n',
    'of a hat that may not write':
      'on_violation: report\nsandbox: off\nhats: { critic: { triggers: [task.start, task.resume], publishes: [task.complete], profile: critic } }\n',
    'of the first of several takers': `event_loop: { routing: fanout, terminal_events: [a.done, b.done] }
hats:
  one: { triggers: [task.start, task.resume], publishes: [a.done] }
  two: { triggers: [task.start], publishes: [b.done] }
`,
  };
  for (const [name, config] of Object.entries(firstTurns)) {
    test(`is the same in --dry-run and in the first turn: ${name}`, async () => {
      const files = { 'PROMPT.md': 'Mend the cart.\n\n- [ ] totals\n', '.agent/scratchpad.md': '# Plan\nThe totals are next.\n' };
      await withPlace(toFiles(config, 'echo hm', files), async (folder) => {
        const dry = await ralph(folder, ['run', '--dry-run', '--max-iterations', '1']);
        expect(dry.code, dry.stderr).toBe(0);
        const ran = await ralph(folder, ['run', '-q', '--max-iterations', '1']);
        const { stdout: prompt } = await ralph(folder, ['show', '1', '--prompt']);
        expect(prompt, ran.stderr).toContain('The totals are next.');
        expect(dry.stdout.slice(dry.stdout.indexOf('──\n') + 3).trimEnd()).toBe(prompt.trimEnd());
      });
    });
  }

  test('is shown by --dry-run with its size, and nothing is started or written', async () => {
    await withPlace(toFiles(PLANNER_AND_BUILDER, 'touch started'), async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '-p', 'raise the roof', '--dry-run']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/first prompt, for planner: about [\d,]+ tokens/);
      expect(stdout).toContain('raise the roof');
      expect(stdout).toContain('builder');
      expect(readdirSync(folder).sort()).toEqual(['agent.sh', 'ralph.yml']);
    });
  });
});
