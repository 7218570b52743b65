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

  test('is shown by --dry-run with its size, and nothing is started or written', async () => {
    await withPlace(toFiles(PLANNER_AND_BUILDER, 'touch started'), async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '-p', 'raise the roof', '--dry-run']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/first prompt, for planner: [\d,]+ tokens/);
      expect(stdout).toContain('raise the roof');
      expect(stdout).toContain('builder');
      expect(readdirSync(folder).sort()).toEqual(['agent.sh', 'ralph.yml']);
    });
  });
});
