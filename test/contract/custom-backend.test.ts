/** What a custom agent, any shell script, may do to us. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackend } from '../../src/backends/index.ts';
import type { BackendSpec } from '../../src/core/backends/backend-spec.ts';
import { createTurnBench, type ObservedTurn, type TurnBench } from './turn-bench.ts';

let bench: TurnBench;
beforeEach(() => {
  bench = createTurnBench();
});
afterEach(() => bench.remove());

function start(script: string, spec: Partial<BackendSpec> = {}, request: Parameters<TurnBench['start']>[1] = {}): ObservedTurn {
  const command = bench.install('agent.sh', script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`);
  return bench.start(createBackend({ type: 'custom', command, args: [], env: {}, permissions: 'bypass', ...spec }), request);
}

describe('the prompt', () => {
  it('is the last argument', async () => {
    const turn = start('printf "%s\\n" "$#" "got: $2"', { args: ['-v'] });
    expect(await turn.settled()).toMatchObject({ status: 'succeeded', exitCode: 0 });
    expect(turn.text()).toBe('2\ngot: Do it\n');
  });

  it("prompt is written to the CLI's stdin with prompt_mode stdin", async () => {
    const turn = start('read line; echo "got: $line, $# arguments"', { promptMode: 'stdin' });
    await turn.settled();
    expect(turn.text()).toBe('got: Do it, 0 arguments\n');
  });

  it('is a file that can be read', async () => {
    const turn = start('echo "got: $(cat "$2")"', { promptMode: 'file', promptFlag: '--task' });
    await turn.settled();
    expect(turn.text()).toBe('got: Do it\n');
  });

  it('of any size arrives whole, with a warning where it was to be an argument', async () => {
    const turn = start('wc -c', {}, { prompt: 'x'.repeat(1_000_000) });
    await turn.settled();
    expect(turn.text().trim()).toBe('1000000');
    expect(turn.events).toContainEqual({ type: 'warning', message: expect.stringContaining('too long for an argument') });
  });

  it('is no text when the agent only repeats it', async () => {
    const prompt = 'Do one task.\n\nWhen done, say:\nLOOP_COMPLETE\n';
    const turn = start('cat; echo "nothing done"', { promptMode: 'stdin' }, { prompt });
    expect(await turn.settled()).toMatchObject({ status: 'succeeded', producedOutput: true });
    expect(turn.text()).toBe('nothing done\n');
  });

  it('is not waited for by an agent that reads nothing', async () => {
    const turn = start('echo done', { promptMode: 'stdin' }, { prompt: 'x'.repeat(5_000_000) });
    expect((await turn.settled()).status).toBe('succeeded');
  });
});

describe('the program', () => {
  it('is found beside the workspace by a relative path, and in the PATH by its name', async () => {
    bench.install('work/agent.sh', '#!/bin/sh\npwd\n');
    const backend = (command: string) => createBackend({ type: 'custom', command, args: [], env: {}, permissions: 'bypass' });
    const turn = bench.start(backend('./agent.sh'));
    expect((await turn.settled()).status).toBe('succeeded');
    expect(turn.text()).toContain(`${bench.folder}/work`);
    bench.install('my-agent', '#!/bin/sh\necho here\n');
    expect((await bench.start(backend('my-agent')).settled()).status).toBe('succeeded');
  });

  it.each([
    ['./gone.sh', 'not found'],
    ['gone', 'PATH'],
    ['.', 'PATH'],
    ['./', 'folder'],
  ])('that cannot be: %s', async (command, words) => {
    const turn = bench.start(createBackend({ type: 'custom', command, args: [], env: {}, permissions: 'bypass' }));
    expect(await turn.settled()).toMatchObject({ status: 'failed', failure: { class: 'spawn', message: expect.stringContaining(words) } });
  });

  it('whose interpreter is not there is explained', async () => {
    const result = await start('#!/no/such/shell\necho x\n').settled();
    expect(result.failure).toMatchObject({ class: 'spawn', message: expect.stringContaining('first line') });
  });

  it('whose workspace is gone is explained', async () => {
    const result = await start('echo x', {}, { cwd: `${bench.folder}/gone` }).settled();
    expect(result.failure).toMatchObject({ class: 'spawn', message: expect.stringContaining('gone') });
  });

  it('gets its own variables and arguments', async () => {
    const turn = start('echo "$MINE $RALPH_HAT $1"', { env: { MINE: 'yes', RALPH_HAT: 'no' }, args: ['$HOME; rm -rf /'] });
    await turn.settled();
    expect(turn.text()).toBe('yes builder $HOME; rm -rf /\n');
  });
});

describe('the end', () => {
  it('with code 0 and without a word is a success', async () => {
    expect(await start('exit 0').settled()).toMatchObject({
      status: 'succeeded',
      producedOutput: false,
      usage: { costUsd: null },
      toolCalls: null,
    });
    expect(await start('printf " \\n\\t\\n"').settled()).toMatchObject({ status: 'succeeded', producedOutput: false });
  });

  it('with another code is a failure with a class from its words', async () => {
    const failureOf = async (script: string) => (await start(script).settled()).failure;
    expect(await failureOf('exit 7')).toEqual({ class: 'agent', message: 'the agent ended with exit code 7' });
    expect(await failureOf('echo "HTTP 503 Service Unavailable" >&2; exit 1')).toMatchObject({ class: 'transient' });
    expect(await failureOf('echo "usage limit reached, try again in 1 hour"; exit 1')).toMatchObject({
      class: 'limit',
      resetAt: expect.any(Number),
    });
    expect(await failureOf('kill -9 $$')).toMatchObject({ class: 'agent', message: expect.stringContaining('SIGKILL') });
  });

  it('takes what the agent left behind with it, and counts it', async () => {
    const turn = start('sleep 600 >/dev/null 2>&1 & setsid sleep 600 >/dev/null 2>&1 & echo done');
    const result = await turn.settled();
    expect(result.status).toBe('succeeded');
    expect(result.leftovers).toBe(2);
    expect(bench.alive()).toBe(0);
  });

  it('is not put off by a grandchild that holds the output open', async () => {
    const result = await start('(sleep 600) & echo done').settled();
    expect(result).toMatchObject({ status: 'succeeded', leftovers: expect.any(Number) });
    expect(bench.alive()).toBe(0);
  });

  it('is forced on an agent that ignores being asked', async () => {
    const turn = start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    await turn.heard('text');
    turn.stop(300);
    expect((await turn.settled()).status).toBe('stopped');
    expect(bench.alive()).toBe(0);
  });

  it('comes by silence too', async () => {
    const result = await start('echo hello; sleep 600', {}, { idleTimeoutMs: 500 }).settled();
    expect(result).toMatchObject({ status: 'failed', failure: { class: 'idle-timeout' }, producedOutput: true });
  });
});

describe('the output', () => {
  it('of 30 MB comes whole, as text and in the log, at bounded memory', async () => {
    const line = 'x'.repeat(999);
    const before = process.memoryUsage().rss;
    let characters = 0;
    const turn = bench.start(
      createBackend({
        type: 'custom',
        command: bench.install('agent.sh', `#!/bin/sh\nyes ${line} | head -n 30000\n`),
        args: [],
        env: {},
        permissions: 'bypass',
      }),
      {},
      (event) => {
        if (event.type === 'text') characters += event.text.length;
      },
    );
    expect((await turn.settled()).status).toBe('succeeded');
    expect(characters).toBe(30_000_000);
    expect(bench.read('stdout.log')).toHaveLength(30_000_000);
    // The test itself keeps every event.
    expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20);
  });

  it('in a flood is told in large pieces, in its order: nobody who listens has to look at each line', async () => {
    const turn = start('seq 1 100000; echo apart >&2; sleep 0.1; echo end');
    await turn.settled();
    expect(turn.text()).toBe(`${Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('')}end\n`);
    const pieces = turn.events.filter(({ type }) => type === 'text');
    expect(pieces.length).toBeLessThan(1000);
    expect(Math.max(...pieces.map((event) => (event.type === 'text' ? event.text.length : 0)))).toBeLessThanOrEqual(65_536);
    expect(turn.events.at(-1)).toEqual({ type: 'message-end' });
  });

  it('of one line of 10 MB is cut for reading, and reported', async () => {
    const turn = start('head -c 10485760 /dev/zero | tr "\\0" x; echo; echo LOOP_COMPLETE');
    await turn.settled();
    expect(turn.events).toContainEqual({ type: 'warning', message: expect.stringContaining('8 MB') });
    expect(turn.text().endsWith('\nLOOP_COMPLETE\n')).toBe(true);
    expect(bench.read('stdout.log').length).toBe(10_485_760 + 15);
  });

  it('may be torn, mixed and coloured', async () => {
    const turn = start('printf "\\303"; sleep 0.05; printf "\\251\\033[31mred\\033[0m"; echo noise >&2; printf "\\r\\nlast"');
    await turn.settled();
    expect(turn.text()).toBe('éred\nlast\n');
    expect(bench.read('stderr.log')).toBe('noise\n');
  });

  it('is read as the stream that it is said to be', async () => {
    const codex = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'Hello.' } },
      { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 2 } },
    ];
    const script = `cat <<'END'\n${codex.map((event) => JSON.stringify(event)).join('\n')}\nEND`;
    for (const outputFormat of ['codex', 'stream'] as const) {
      const turn = start(script, { outputFormat });
      expect(await turn.settled()).toMatchObject({ status: 'succeeded', sessionId: 't', toolCalls: 0, usage: { inputTokens: 10 } });
      expect(turn.text()).toBe('Hello.');
    }
  });

  it('that cannot be logged ends the turn', async () => {
    const logs = { stdoutPath: `${bench.folder}/gone/out.log`, stderrPath: `${bench.folder}/err.log`, capBytes: 1000 };
    const result = await start('echo hello', {}, { logs }).settled();
    expect(result).toMatchObject({ status: 'failed', logError: 'ENOENT', failure: { message: expect.stringContaining('log') } });
  });
});
