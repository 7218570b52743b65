/** The runs of a person in the browser: what the page asks, asked here without one. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { type Started, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const ASKS = `
[ "$(nth turn)" -gt 1 ] && { echo LOOP_COMPLETE; exit 0; }
answer=$("$RALPH_BIN" ask "Drop the old table?" --choices yes,no --default no)
while [ ! -e go ]; do sleep 0.05; done
echo "$answer" >> answers.txt
echo LOOP_COMPLETE`;

interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}
interface Web {
  readonly started: Started;
  readonly origin: string;
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body: object) => Promise<Answer>;
}

/** `ralph web` as a service starts it: without a terminal, with a token that stays. */
async function openWeb(folder: string): Promise<Web> {
  const started = start(folder, ['web', '--port', '0', '--token-file', 'token'], { XDG_STATE_HOME: join(folder, 'state') });
  let printed = '';
  started.child.stdout?.on('data', (text) => {
    printed += String(text);
  });
  await started.says('Ctrl+C ends the page');
  started.child.kill('SIGUSR2');
  await until('an address', async () => /#code=[\w-]{43}\n/.test(printed));
  const { origin } = new URL(printed.trim().split('\n').at(-1) ?? '');
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(`${origin}${path}`, init);
    return { status: answer.status, json: (await answer.json()) as Answer['json'] };
  };
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  return {
    started,
    origin,
    get: (path) => call(path, { headers }),
    post: (path, body) => call(path, { method: 'POST', headers, body: JSON.stringify(body) }),
  };
}

interface Row {
  readonly key: string;
  readonly state: string;
  readonly attention: { readonly state: string } | null;
}
const readRow = async ({ get }: Web): Promise<Row | undefined> => ((await get('/api/runs')).json['runs'] as readonly Row[])[0];

test('a run is shown and steered from two pages at once, and goes on when the page is killed', async () => {
  const files = toFiles('gates: []\nevent_loop: {prompt: Build it}\n', ASKS);
  await withPlace({ ...files, token: TOKEN }, async (folder) => {
    chmodSync(join(folder, 'token'), 0o600);
    const run = start(folder, ['run', '--no-tui'], { XDG_STATE_HOME: join(folder, 'state') });
    const web = await openWeb(folder);
    await until('the question in the list', async () => (await readRow(web))?.attention?.state === 'needs_you');
    const { key, state } = (await readRow(web)) as Row;
    expect(state).toBe('waiting');
    const { seq } = (await web.get(`/api/runs/${key}/frame`)).json as { readonly seq: number };
    const stale = await web.post(`/api/runs/${key}/answer`, { command: 'a0', question: 'q1', choice: 'yes', seq: 1 });
    expect([stale.status, stale.json['code']]).toEqual([409, 'web-stale']);
    const answers = await Promise.all(
      ['yes', 'no'].map((choice) => web.post(`/api/runs/${key}/answer`, { command: `a-${choice}`, question: 'q1', choice, seq })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const words = { command: 'c1', text: 'use the old API' };
    const told = await Promise.all([1, 2].map(() => web.post(`/api/runs/${key}/tell`, words)));
    expect(told[0]).toMatchObject({ status: 200, json: { seq: expect.any(Number) } });
    expect(told[1]).toEqual(told[0]);
    web.started.child.kill('SIGKILL');
    await web.started.done;
    const again = await openWeb(folder);
    // Another process was told the same before: the run hears it once.
    expect((await again.post(`/api/runs/${key}/tell`, words)).status).toBe(200);
    writeFileSync(join(folder, 'go'), '');
    expect((await run.done).code).toBe(0);
    const { tells } = (await readStatus(folder)) as unknown as { readonly tells: readonly { readonly text: string }[] };
    expect(tells.map(({ text }) => text)).toEqual(['use the old API']);
    await until('its end in the list', async () => (await readRow(again))?.state === 'ended');
    again.started.child.kill('SIGINT');
    expect(await again.started.done).toMatchObject({ code: 0, signal: null });
  });
});

test('a run that was stopped from the page goes on from it in a process of its own, which outlives it', async () => {
  const body = `n=$(nth turn); [ "$n" -gt 1 ] && while [ ! -e go ]; do sleep 0.05; done; [ "$n" -gt 1 ] && echo LOOP_COMPLETE; sleep 0.5; true`;
  const files = toFiles('gates: []\nevent_loop: {prompt: Build it}\n', body);
  await withPlace({ ...files, token: TOKEN }, async (folder) => {
    chmodSync(join(folder, 'token'), 0o600);
    const run = start(folder, ['run', '--no-tui'], { XDG_STATE_HOME: join(folder, 'state') });
    const web = await openWeb(folder);
    await until('the run', async () => (await readRow(web))?.state === 'running');
    const { key } = (await readRow(web)) as Row;
    expect((await web.post(`/api/runs/${key}/stop`, { command: 's1', how: 'now' })).status).toBe(200);
    await run.done;
    await until('its end', async () => (await readRow(web))?.state === 'ended');
    expect(await web.post(`/api/runs/${key}/resume`, { command: 'r1' })).toMatchObject({ status: 200 });
    await until('the run again', async () => (await readRow(web))?.state === 'running');
    web.started.child.kill('SIGTERM');
    expect((await web.started.done).code).toBe(0);
    expect(await readStatus(folder)).toMatchObject({ status: 'running' });
    writeFileSync(join(folder, 'go'), '');
    await until('its end', async () => (await readStatus(folder))['status'] === 'ended');
  });
});
