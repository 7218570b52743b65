/** `ralph fleet up`, as a person types it, with the real server. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ralph, start, withFolder } from '../e2e/ralph.ts';
import { NATS_SERVER } from '../nats-server.mjs';
import { startServer } from './nats.ts';

/** One that has ended may still be in the list, without a command. */
const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
const readAddress = (text: string): string => /^export RALPH_FLEET='?(nats:[^'\n]+)/m.exec(text)?.[1] ?? '';
const readPid = (text: string): number => Number(/nats-server \S+, process (\d+)/.exec(text)?.[1]);

describe('ralph fleet up', { timeout: 60_000 }, () => {
  test('starts a server that others use, says so to a second one, and ends it with Ctrl+C', async () => {
    await withFolder({}, async (folder) => {
      const words = ['fleet', 'up', '--home', join(folder, 'server')];
      const up = start(folder, words);
      await up.says('Ctrl+C ends the server');
      const second = await ralph(folder, words);
      expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining(`Process ${up.child.pid} `) });
      const address = readAddress(second.stdout);
      const used = await ralph(folder, ['fleet'], { RALPH_FLEET: address });
      expect([used.code, used.stderr]).toEqual([0, expect.stringContaining('No worker is there')]);
      const stranger = await ralph(folder, ['fleet'], { RALPH_FLEET: address.replace(/ralph:[^@]+@/, '') });
      expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('does not let you in')]);
      up.child.kill('SIGINT');
      const finished = await up.done;
      expect(finished.code, finished.stderr).toBe(0);
      expect(readAddress(finished.stdout)).toBe(address);
      expect(isThere(readPid(finished.stderr))).toBe(false);
    });
  });

  test('after kill -9 ends what was left running, and is at the same address again; at another one where that was taken', async () => {
    await withFolder({}, async (folder) => {
      const words = ['fleet', 'up', '--home', join(folder, 'server')];
      const killed = start(folder, words);
      await killed.says('Ctrl+C ends the server');
      killed.child.kill('SIGKILL');
      const first = await killed.done;
      expect(isThere(readPid(first.stderr))).toBe(true);
      const next = start(folder, words);
      await next.says('Ctrl+C ends the server');
      expect(isThere(readPid(first.stderr))).toBe(false);
      next.child.kill('SIGTERM');
      const second = await next.done;
      expect([second.code, readAddress(second.stdout)]).toEqual([143, readAddress(first.stdout)]);
      const { port } = new URL(readAddress(first.stdout));
      const squatter = createServer();
      await new Promise<void>((resolve) => squatter.listen(Number(port), '127.0.0.1', resolve));
      const third = start(folder, words);
      await third.says('Ctrl+C ends the server');
      third.child.kill('SIGINT');
      expect(new URL(readAddress((await third.done).stdout)).port).not.toBe(port);
      await new Promise((resolve) => squatter.close(resolve));
    });
  });

  test('has a server that knows how write each message to the disk before it counts as kept, and says where it cannot', async () => {
    await withFolder({}, async (folder) => {
      const home = join(folder, 'server');
      const up = start(folder, ['fleet', 'up', '--home', home]);
      await up.says('Ctrl+C ends the server');
      up.child.kill('SIGINT');
      const { stderr } = await up.done;
      const [, program, minor] = /^(\S+) 2\.(\d+)\.\d+, process/.exec(stderr) ?? [];
      expect(program).toBe(NATS_SERVER);
      const isOld = Number(minor) < 10;
      expect(stderr.includes('every two minutes')).toBe(isOld);
      const { jetstream } = JSON.parse(readFileSync(join(home, 'server.conf'), 'utf8'));
      expect(jetstream.sync_interval).toBe(isOld ? undefined : 'always');
    });
  });

  test('looks at a server that is there, and says what is missing', async () => {
    const plain = await startServer();
    try {
      await withFolder({}, async (folder) => {
        const open = await ralph(folder, ['fleet', 'up', '--nats', plain.url]);
        expect(open.stdout).toMatch(/✓ its version is 2[\s\S]*! it lets everybody in[\s\S]*✓ it has JetStream/);
        expect(open.code).toBe(0);
        const gone = await ralph(folder, ['fleet', 'up', '--nats', 'nats://127.0.0.1:1']);
        expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ There is no fleet at nats://127.0.0.1:1') });
      });
    } finally {
      await plain.close();
    }
  });
});
