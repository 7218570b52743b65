/** A denial of a hook is a denial, whatever else the hook does, and the run goes on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMPLETE, type HookKeys, read, runHooked, shell, toDecisions, toOutcome, write } from './hooked-run.ts';

const MAX_MB = 400;
/** A hook that is asked about its own file. */
const on = (name: string, command: string, more: HookKeys = {}): HookKeys => ({ name, path: `${name}.txt`, command, ...more });
const exists = (folder: string, name: string): boolean => existsSync(join(folder, name));

describe.concurrent('on the native agent', () => {
  test('two hundred hooks are asked in their order, and the denial of one ends the asking', async () => {
    const hooks = Array.from({ length: 200 }, (_, index) => ({
      name: `h${index + 1}`,
      command: index < 149 ? 'exit 0' : index === 149 ? 'echo no >&2; exit 2' : 'touch asked',
    }));
    await runHooked(
      { hooks: hooks.map((hook) => ({ ...hook, matcher: 'Write' })), answers: [[write('a.txt')]] },
      ({ folder, calls, journal }) => {
        expect(calls.map(toOutcome)).toEqual(['denied', 'done']);
        expect(calls[0]?.result.text).toContain('h150: no');
        expect(calls.map(toDecisions)[0]).toEqual(
          hooks.slice(0, 150).map(({ name }, index) => `${name} ${index < 149 ? 'allow' : 'deny'}`),
        );
        expect([exists(folder, 'a.txt'), exists(folder, 'asked')]).toEqual([false, false]);
        expect(journal).toContain('"name":"h150","decision":"deny","count":1');
      },
    );
  });

  test('a hook that hangs allows visibly, denies where it is fail_closed, lifts no denial beside it, and leaves no process', async () => {
    const hang = (more: string) =>
      `${more}; (sleep 300 & sleep 300) & setsid sh -c 'sleep 300 & sleep 300' & echo $$ >> hung; wait; sleep 300`;
    const hooks = [
      on('open', hang("trap '' TERM"), { timeout: 1 }),
      on('closed', hang('kill -STOP $$'), { timeout: 1, fail_closed: true }),
      { ...on('beside', hang('true'), { timeout: 1 }), name: 'hangs' },
      on('beside', 'exit 2'),
      on('late', `trap 'exit 2' TERM; ${hang('true')}`, { timeout: 1 }),
    ];
    const names = ['open', 'closed', 'beside', 'late'];
    await runHooked({ hooks, answers: [names.map((name) => write(`${name}.txt`))] }, ({ folder, calls, stdout }) => {
      expect(calls.map(toOutcome)).toEqual(['done', 'denied', 'denied', 'denied', 'done']);
      expect(calls.map(toDecisions).slice(0, 4)).toEqual([['open allow'], ['closed deny'], ['hangs allow', 'beside deny'], ['late deny']]);
      expect(stdout).toContain('the hook open failed: it gave no answer within 1 s');
      expect(names.filter((name) => exists(folder, `${name}.txt`))).toEqual(['open']);
    });
  });

  test('a hook that denies is not waited for until its children end, who keep its output open', async () => {
    const hooks = [
      on('silent', 'sleep 300 & exit 2'),
      on('away', "setsid sh -c 'sleep 300 & sleep 300' & exit 2"),
      on('chatty', '(while :; do echo x; sleep 0.02; done) & exit 2'),
      on('flooding', 'yes & exit 2'),
      on('stubborn', `sh -c "trap '' TERM; while :; do sleep 1; done" & exit 2`),
    ];
    await runHooked({ hooks, answers: [hooks.map(({ path }) => write(path ?? ''))] }, ({ calls }) => {
      expect(calls.map(toOutcome)).toEqual([...hooks.map(() => 'denied'), 'done']);
      for (const { hooks: runs = [] } of calls) for (const { name, ms } of runs) expect([name, ms < 15_000]).toEqual([name, true]);
    });
  });

  test('a hook that prints a gigabyte denies by its exit code, in bounded memory, and so do many at the same time', async () => {
    const flood = (bytes: number, to = '') => `head -c ${bytes} /dev/zero ${to}; exit 2`;
    const hooks = [
      on('output', flood(1_000_000_000)),
      on('errors', flood(1_000_000_000, '>&2')),
      on('json', 'yes \'{"decision":"allow"}\' | head -c 1000000000; exit 2'),
      on('talk', `read -r _; ${flood(1_000_000_000)}`, { keep_alive: true }),
      on('line', `read -r _; printf '{"a":"'; ${flood(200_000_000)}`, { keep_alive: true }),
      { name: 'many', matcher: 'Read', command: `head -c 100000000 /dev/zero; ${flood(100_000_000, '>&2')}` },
    ];
    const many = Array.from({ length: 6 }, () => read('ralph.yml'));
    const answers = [['output', 'errors', 'json', 'talk', 'line'].map((name) => write(`${name}.txt`)), many];
    await runHooked({ hooks, answers }, ({ calls, peakMb }) => {
      expect(calls.map(toOutcome)).toEqual([...Array.from({ length: 11 }, () => 'denied'), 'done']);
      expect(peakMb).toBeGreaterThan(20);
      expect(peakMb).toBeLessThan(MAX_MB);
    });
  });

  test('a hook that reads nothing of a call of a megabyte denies', async () => {
    const hooks = [
      on('closes', 'exec <&-; exit 2'),
      on('ignores', 'exit 2'),
      on('stays', 'exec <&-; exit 2', { keep_alive: true }),
      on('lingers', 'exec <&-; sleep 0.3; exit 2', { keep_alive: true }),
      on('never', 'sleep 300', { keep_alive: true, timeout: 1, fail_closed: true }),
    ];
    // More than a pipe takes. It is more than the model may have in one conversation, too: the run ends with the same answer.
    const content = 'x'.repeat(1_000_000);
    for (const hook of hooks)
      await runHooked({ hooks: [hook], answers: [[write(hook.path ?? '', content), COMPLETE]] }, ({ calls }) => {
        expect([hook.name, ...calls.map(toOutcome).slice(0, 2)]).toEqual([hook.name, 'denied', 'done']);
      });
  });

  test('half an answer allows visibly, and denies where the hook is fail_closed or ends with exit code 2', async () => {
    const half = `printf '{"decision":"al'`;
    const hooks = [
      on('open', half),
      on('closed', half, { fail_closed: true }),
      on('two', `${half}; exit 2`),
      on('resident', `read -r _; ${half}; exit 2`, { keep_alive: true }),
      on('lineless', `read -r _; printf '{"decision":"deny"}'`, { keep_alive: true }),
      on('broken', `read -r _; ${half}; exit 1`, { keep_alive: true, fail_closed: true }),
    ];
    await runHooked({ hooks, answers: [hooks.map(({ path }) => write(path ?? ''))] }, ({ calls, stdout }) => {
      expect(calls.map(toOutcome)).toEqual(['done', 'denied', 'denied', 'denied', 'denied', 'denied', 'done']);
      expect(stdout).toContain('the hook open failed: it printed what begins like JSON but is not valid');
    });
  });

  test('a program that stays denies although it names another call, and dies in the midst visibly', async () => {
    const hooks = [
      on('other', `read -r _; echo '{"id":"another","tool_use_id":"call_9","decision":"deny"}'; sleep 300`, { keep_alive: true }),
      on('dies', 'read -r _; kill -9 $$', { keep_alive: true }),
      on('closed', 'read -r _; kill -9 $$', { keep_alive: true, fail_closed: true }),
      on('second', `read -r _; echo '{}'; read -r _; kill -9 $$`, { keep_alive: true, fail_closed: true }),
    ];
    const answers = [hooks.map(({ path }) => write(path ?? '')), [write('second.txt', 'again')]];
    await runHooked({ hooks, answers }, ({ folder, calls, stdout }) => {
      expect(calls.map(toOutcome)).toEqual(['denied', 'done', 'denied', 'done', 'denied', 'done']);
      expect(stdout).toContain('the hook dies failed: it ended by SIGKILL');
      expect(readFileSync(join(folder, 'second.txt'), 'utf8')).toBe('x');
    });
  });

  test('a reason of ten megabytes denies, and little of it comes to the model and into the files of the run', async () => {
    const long = `head -c 10000000 /dev/zero | tr '\\0' y`;
    const hooks = [
      on('json', `printf '{"decision":"deny","reason":"'; ${long}; echo '"}'`),
      on('errors', `${long} >&2; exit 2`),
      on('inject', `printf '{"decision":"deny","inject":{"content":"'; ${long}; echo '"}}'`),
    ];
    await runHooked({ hooks, answers: [hooks.map(({ path }) => write(path ?? ''))] }, ({ calls, stdout, journal, session, peakMb }) => {
      expect(calls.map(toOutcome)).toEqual([...hooks.map(() => 'denied'), 'done']);
      expect(calls.map(({ result }) => result.text.length < 12_000)).toEqual([true, true, true, true]);
      expect([stdout, journal, session].map((text) => text.length < 100_000)).toEqual([true, true, true]);
      expect(peakMb).toBeLessThan(MAX_MB);
    });
  });

  test('of the calls of one answer exactly the one is refused that a hook denies, also where they are made at the same time', async () => {
    const guard = `case "$(cat)" in *'"path":"b.txt"'*) exit 2;; esac; sleep 0.2`;
    const files = { 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' };
    const names = Object.keys(files);
    const answers = [names.map(read), names.map((name) => write(name, 'new'))];
    const hooks = [{ name: 'guard', matcher: 'Read|Write', command: guard }];
    await runHooked({ hooks, answers, files }, ({ folder, calls }) => {
      // At the same time: they end in any order, and each result says which call it is of.
      expect(calls.slice(0, 3).map(toOutcome).sort()).toEqual(['denied', 'done', 'done']);
      expect(calls.slice(0, 3).some(({ result }) => result.text.includes('B'))).toBe(false);
      expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))[1]).toBe('B');
      expect(toOutcome(calls[4] ?? { result: { text: '', isError: false } })).toBe('denied');
    });
  });

  test.each([
    ['gone', 'rm guard.sh stays.sh guard.mjs'],
    ['a pipe', 'rm guard.sh stays.sh guard.mjs; mkfifo guard.sh stays.sh guard.mjs'],
    ['a device without end', 'for f in guard.sh stays.sh guard.mjs; do ln -sf /dev/zero $f; done'],
    ['a file of many gigabytes', 'truncate -s 500G guard.sh stays.sh guard.mjs'],
    ['another one', 'for f in guard.sh stays.sh guard.mjs; do echo "" >> $f; done'],
  ])('a hook whose file is %s by now does not run, and what it is asked about is denied visibly', async (_, change) => {
    const files = {
      'guard.sh': 'touch ran-program; exit 0\n',
      'stays.sh': `while read -r _; do echo '{}'; done\n`,
      'guard.mjs': 'export const check = () => ({});\n',
    };
    const hooks = [
      { path: 'a.txt', handler: 'guard.sh' },
      { path: 'b.txt', handler: 'stays.sh', keep_alive: true },
      { path: 'c.txt', handler: 'guard.mjs#check' },
    ];
    const writes = ['a.txt', 'b.txt', 'c.txt'].map((name) => write(name));
    // The program that stays runs already, and the module is loaded: neither is asked any more.
    const answers = [writes.slice(1), [shell(`rm b.txt c.txt; ${change}`)], writes];
    await runHooked({ hooks, answers, files }, ({ folder, calls, stdout, peakMb }) => {
      expect(calls.map(toOutcome)).toEqual(['done', 'done', 'done', 'denied', 'denied', 'denied', 'done']);
      expect(readdirSync(folder).filter((name) => name.endsWith('.txt') || name.startsWith('ran'))).toEqual([]);
      expect(stdout).toContain('the hook guard.sh failed: ');
      expect(stdout).toContain('3 uses of tools were stopped');
      expect(peakMb).toBeLessThan(MAX_MB);
    });
  });
});
