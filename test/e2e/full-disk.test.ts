import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCRIPT_BACKEND, toAgent } from './agent-script.ts';
import { findProcesses } from './processes.ts';
import { ralph } from './ralph.ts';
import { readEvents, readStatus, toRoutes } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];
const NOT_HERE = 'mounting a small file system needs Linux and root';

/** Gives `use` a small file system of its own; false when there can be none here. */
async function withSmallDisk(sizeKb: number, use: (folder: string) => Promise<void>): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKb}k`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return false;
  }
  try {
    await use(folder);
  } finally {
    for (const { pid } of findProcesses(folder)) process.kill(pid, 'SIGKILL');
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  }
  return true;
}

function writeAgent(folder: string, body: string): void {
  writeFileSync(join(folder, 'ralph.yml'), SCRIPT_BACKEND);
  writeFileSync(join(folder, 'agent.sh'), toAgent(body));
  chmodSync(join(folder, 'agent.sh'), 0o755);
}

/** The journal of the only run, line by line; throws if a line is torn. */
function readJournalTypes(folder: string, runId: string): string[] {
  const text = readFileSync(join(folder, '.ralph/runs', runId, 'journal.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly input: { readonly type: string } }).input.type);
}

describe('a full disk', () => {
  test('ends the run with its reason, and nothing is lost: with space again it goes on', async (context) => {
    const body =
      'if [ -f full ]; then echo LOOP_COMPLETE; else ralph emit note.taken one; cat /dev/zero > ballast 2> /dev/null; echo end >> log; fi';
    const isDone = await withSmallDisk(1024, async (folder) => {
      writeAgent(folder, body);
      const { code, stdout } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stdout).toContain('storage_failed');
      expect(stdout).toContain('ENOSPC');
      expect(findProcesses(folder)).toEqual([]);
      const dead = await readStatus(folder);
      expect(readJournalTypes(folder, dead.runId).slice(0, 2)).toEqual(['run-started', 'iteration-spawned']);
      rmSync(join(folder, 'ballast'));
      writeFileSync(join(folder, 'full'), '');
      const resumed = await ralph(folder, ['resume']);
      expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
      expect(toRoutes(await readEvents(folder)).at(-1)).toBe('ralph -> task.complete -> terminal');
      expect((await ralph(folder, ['status'])).stdout).toContain('Completed');
    });
    if (!isDone) context.skip(NOT_HERE);
  });

  test('that an agent fills with its own output ends the run, too', async (context) => {
    const isDone = await withSmallDisk(1024, async (folder) => {
      writeAgent(folder, 'if [ -f full ]; then echo LOOP_COMPLETE; else yes "much to say" | head -c 4000000; fi');
      const { code, stdout } = await ralph(folder, [...RUN, '-q']);
      expect(code).toBe(1);
      expect(stdout).toContain('storage_failed');
      const { runId } = await readStatus(folder);
      rmSync(join(folder, '.ralph/runs', runId, 'turns'), { recursive: true });
      writeFileSync(join(folder, 'full'), '');
      const resumed = await ralph(folder, ['resume', '-q']);
      expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    });
    if (!isDone) context.skip(NOT_HERE);
  });

  test('from the beginning lets no run start, and says why', async (context) => {
    const isDone = await withSmallDisk(64, async (folder) => {
      writeAgent(folder, 'echo LOOP_COMPLETE');
      try {
        writeFileSync(join(folder, 'ballast'), Buffer.alloc(1 << 20));
      } catch {
        expect(existsSync(join(folder, 'ballast'))).toBe(true);
      }
      const { code, stderr } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stderr).toMatch(/ENOSPC|no space/i);
      expect(stderr).not.toMatch(/defect/);
    });
    if (!isDone) context.skip(NOT_HERE);
  });

  test('that cannot be written at all lets no run start, and says why', async (context) => {
    const isDone = await withSmallDisk(64, async (folder) => {
      writeAgent(folder, 'echo LOOP_COMPLETE');
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      const { code, stderr, stdout } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toContain('.ralph');
      expect(stderr).toMatch(/EROFS|read-only/i);
      expect(stderr).not.toMatch(/defect/);
      for (const command of ['runs', 'status', 'events', 'ps', 'doctor']) {
        expect((await ralph(folder, [command])).stderr, command).not.toMatch(/defect|EROFS/);
      }
      expect((await ralph(folder, ['init', '--force'])).stderr).toMatch(/EROFS|read-only/i);
    });
    if (!isDone) context.skip(NOT_HERE);
  });
});
