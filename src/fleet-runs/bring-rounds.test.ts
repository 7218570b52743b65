import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { fromBody, ROUND_PROTOCOL, toBody } from '../fleet/messages.ts';
import { ROUND_END } from '../fleet/round-fixtures.ts';
import { MAX_FILE_BYTES } from '../fleet/too-large.ts';
import { toBasePath } from '../panel/share/workspace-base.ts';
import type { PanelRound } from '../ports/panel-rounds.ts';
import type { Snapshot } from '../workspace/checkpoint/create-workspace.ts';
import { createTestRepository, open, removeFolders } from './place-tree-fixtures.ts';
import { createRoundsAway } from './rounds-away.ts';

afterEach(removeFolders);

const NAME = '7.1.1.1';

/** A run in a repository, the folder of one agent of its panel, and a worker that has the agent's round. */
async function setUp(tree = 't1') {
  const repo = createTestRepository({ 'a.txt': 'a\n' });
  const repository = await open(repo);
  const fleet = createMemoryFleet();
  const cwd = join(repo.path, '.ralph', 'agent', 'work');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(repo.path, '.ralph', 'turns', '1.1'), { recursive: true });
  writeFileSync(join(cwd, 'a.txt'), 'changed\n');
  writeFileSync(toBasePath(cwd), JSON.stringify({ skipped: [], files: {} }));
  const rounds = createRoundsAway({
    ...{ fleet, run: 'r1', steady: () => performance.now(), tell: () => undefined, lostAfterMs: 1000, isOwn: () => true },
    ...{
      see: () => undefined,
      repository: async () => repository,
      skipped: ['.ralph'],
      describe: async () => ({}),
      confirm: async () => undefined,
    },
    look: async () => ({ tree: repo.git('rev-parse', 'HEAD^{tree}').trim() }) as Snapshot,
    send: async () => ({ base: {}, work: { tree }, steps: [], scratchpad: null }) as never,
    labelsOf: () => ['custom'],
  });
  onTestFinished(rounds.close);
  const handed: string[] = [];
  const hand = {
    ...{ task: 'answer' as const, candidates: [], topics: [] },
    answer: async (content: string) => {
      handed.push(`${content}: ${readFileSync(join(cwd, 'a.txt'), 'utf8')}`);
      return { isAccepted: true, text: 'taken' };
    },
    vote: async () => ({ isAccepted: true, text: 'taken' }),
  };
  const request = {
    turn: { iteration: 1, attempt: 1 },
    prompt: 'Do it',
    cwd,
    hand,
    logs: { capBytes: 1000 },
    timeoutMs: 0,
    idleTimeoutMs: 0,
  };
  const round = {
    ...{
      order: { type: 'iteration-start', iteration: 7, attempt: 1, hat: 'h' } as IterationStart,
      agent: 0,
      id: 'red',
      token: '0'.repeat(16),
    },
    ...{ shown: () => [], request: { ...request, promptFile: join(repo.path, '.ralph', 'turns', '1.1', 'prompt.md') } },
  } as unknown as PanelRound;
  const observed: BackendEvent[] = [];
  const running = rounds.start(round, (event) => void observed.push(event));
  const claim = await fleet.queue.claim({ id: 'one', labels: ['custom'], protocol: ROUND_PROTOCOL }, AbortSignal.timeout(10_000));
  if (claim === null) throw new Error(JSON.stringify(await running.result));
  const said: Json[] = [];
  onTestFinished(fleet.wires.answer({ run: 'r1', name: NAME }, (words) => void said.push(words)));
  let number = 0;
  const report = async (words: object): Promise<void> => {
    number += 1;
    await fleet.reports.append({ run: 'r1', name: NAME, worker: 'one', number, body: await toBody(fleet.blobs, words as Json) });
  };
  const order = (await fromBody(fleet.blobs, claim?.order.body ?? null)) as {
    readonly place: { readonly steps: readonly { readonly to: string }[] };
  };
  return { repo, cwd, fleet, running, claim, said, report, observed, handed, steps: order.place.steps };
}

const handIn = (call: number, changes: Json) => ({
  kind: 'round-hand-in',
  call,
  handIn: { kind: 'answer', content: `answer ${call}` },
  changes,
});

test('behind work that could not be brought nothing of that round is taken, and it has failed', async () => {
  const { running, claim, said, report, handed } = await setUp();
  await report(handIn(1, { blob: 'f'.repeat(64) }));
  await expect.poll(() => said).toHaveLength(1);
  await report(handIn(2, null));
  await expect.poll(() => said).toHaveLength(2);
  expect(said).toMatchObject([1, 2].map((call) => ({ effect: { type: 'round-reply', call, isAccepted: false } })));
  await report(ROUND_END);
  await claim?.end();
  expect([handed, await running.result]).toMatchObject([[], { status: 'failed', failure: { class: 'transient' } }]);
});

test('the same changes on another tree are another step', async () => {
  const [one, same, other] = [await setUp('t1'), await setUp('t1'), await setUp('t2')].map(({ steps }) => steps.at(-1)?.to);
  expect([one === same, one === other]).toEqual([true, false]);
});

test('of what a worker says only what can be counts: a beginning once, and of news what the agent was told, once', async () => {
  const { running, claim, report, observed } = await setUp();
  running.tell?.({ id: 'u1', text: 'news', by: '', isNews: true });
  for (const _ of [1, 2]) await report({ kind: 'round-told', event: { type: 'started' } });
  for (const _ of [1, 2]) await report({ kind: 'round-told', event: { type: 'injected', ids: ['u1', 'u1', 'u2'], call: 1 } });
  await report(ROUND_END);
  await claim?.end();
  expect((await running.result).status).toBe('succeeded');
  expect(observed).toMatchObject([
    { type: 'started', worker: 'one' },
    { type: 'injected', ids: ['u1'] },
  ]);
});

test('what a round had used counts also where its worker is lost', async () => {
  const { fleet, running, observed, report } = await setUp();
  await report({ kind: 'round-told', event: { type: 'started' } });
  await expect.poll(() => observed).toHaveLength(1);
  const usage = { ...UNKNOWN_USAGE, inputTokens: 7, costUsd: 0.5 };
  fleet.wires.show({ run: 'r1', name: NAME }, { event: { type: 'usage', usage } });
  await expect.poll(() => observed).toHaveLength(2);
  expect(await running.result).toMatchObject({ status: 'failed', usage });
});

const bytes = (text: string) => ({ bytes: Buffer.from(text).toString('base64') });
const file = (path: string, mode = '100644') => ({ path, mode, isNew: true, ...bytes('evil') });
const link = (path: string, to: string) => ({ path, mode: '120000', isNew: true, ...bytes(to) });

/** All paths below a folder, what git keeps itself excepted. */
function listBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/'))
    .sort();
}

test.each<readonly [string, readonly object[]]>([
  ['that leads out', [file('../evil.txt')]],
  ['that leads out in its midst', [file('a/../../evil.txt')]],
  ['that is absolute', [file('/tmp/ralph-evil.txt')]],
  ['of git', [file('.git/hooks/post-checkout', '100755')]],
  ['of git in capitals, deeper', [file('deep/.GIT/config')]],
  ['below a link that comes with it', [link('out', '../..'), file('out/evil.txt')]],
  ['below a link that comes after it', [file('out/evil.txt'), link('out', '../..')]],
  ['below a file', [file('b.txt'), file('b.txt/c.txt')]],
  ['that is empty', [file('')]],
  ['with a byte of nothing', [file('a\0b')]],
  ['of no kind of file', [file('b.txt', '160000')]],
  ['without what is in it', [{ path: 'b.txt', mode: '100644', isNew: true }]],
  ['whose content is not there', [{ path: 'b.txt', mode: '100644', isNew: true, blob: 'f'.repeat(64) }]],
  ['that is no text', [{ path: 3, mode: null }]],
])('a hand-in that brings a path %s is not taken, and nothing is written outside', async (_, changes) => {
  const { repo, claim, said, report, handed, running } = await setUp();
  const top = listBelow(repo.path).filter((path) => !path.startsWith('.ralph/agent/work/'));
  await report(handIn(1, { value: changes as Json }));
  await expect.poll(() => said).toHaveLength(1);
  await report(ROUND_END);
  await claim?.end();
  expect([handed, said]).toMatchObject([[], [{ effect: { isAccepted: false } }]]);
  expect((await running.result).status).toBe('failed');
  expect(listBelow(repo.path).filter((path) => !path.startsWith('.ralph/agent/work/'))).toEqual(top);
  expect([existsSync('/tmp/ralph-evil.txt'), existsSync(join(repo.path, '.git', 'hooks', 'post-checkout'))]).toEqual([false, false]);
});

test('what no answer may hold is not written, and the rest is', async () => {
  const { cwd, said, report, handed, claim } = await setUp();
  const kept = ['.agent/evil', '.ralph/evil', 'node_modules/evil/i.js', '.env'].map((path) => file(path));
  await report(handIn(1, { value: [...kept, file('fine.txt')] as unknown as Json }));
  await expect.poll(() => said).toHaveLength(1);
  await report(ROUND_END);
  await claim?.end();
  expect(handed).toHaveLength(1);
  expect(listBelow(cwd)).toEqual(['a.txt', 'fine.txt']);
});

test.each<readonly [string, () => Json]>([
  [
    'a million entries',
    () => ({ parts: Array.from({ length: 100 }, () => ({ value: Array.from({ length: 10_000 }, () => ({ path: 'x', mode: null })) })) }),
  ],
  ['a million parts', () => ({ parts: Array.from({ length: 1_000_000 }, () => null) })],
  ['a list that is none', () => ({ value: { path: 'x' } })],
])('a hand-in of %s is refused at once', async (_, makeChanges) => {
  const { cwd, running, claim, fleet, handed } = await setUp();
  // It stands in a file of the fleet, as what is large does.
  const words = handIn(1, makeChanges());
  const blob = await fleet.blobs.put(new TextEncoder().encode(JSON.stringify(words)));
  await fleet.reports.append({ run: 'r1', name: NAME, worker: 'one', number: 1, body: { blob } });
  await fleet.reports.append({ run: 'r1', name: NAME, worker: 'one', number: 2, body: { value: ROUND_END as unknown as Json } });
  await claim?.end();
  expect((await running.result).status).toBe('failed');
  expect([handed, listBelow(cwd)]).toEqual([[], ['a.txt']]);
});

test('outputs go into the folder of the round alone, under the names that a round has', async () => {
  const { repo, running, claim, report } = await setUp();
  const names = ['stdout.log', '../evil.log', '/tmp/ralph-evil.txt', 'prompt.md', 'verdict.json', '.hidden'];
  await report({ ...ROUND_END, files: names.map((name) => ({ name, ...bytes('evil') })) });
  await claim?.end();
  expect((await running.result).status).toBe('succeeded');
  expect(listBelow(join(repo.path, '.ralph', 'turns'))).toEqual(['1.1', '1.1/stdout.log']);
});

test('an output that is larger than a worker may send is left out, and that is said', async () => {
  const { repo, running, claim, report, observed, fleet } = await setUp();
  const blob = await fleet.blobs.put(new Uint8Array(MAX_FILE_BYTES + 1));
  await report({
    ...ROUND_END,
    files: [
      { name: 'stderr.log', ...bytes('fine') },
      { name: 'stdout.log', blob },
    ],
  });
  await claim?.end();
  expect((await running.result).status).toBe('succeeded');
  expect(listBelow(join(repo.path, '.ralph', 'turns'))).toEqual(['1.1', '1.1/stderr.log']);
  const message = 'Of the round of agent red, stdout.log is not here: larger than a worker may send.';
  expect(observed).toContainEqual({ type: 'warning', message });
});

test('work that is on its way home when the run is stopped at once is given up', async () => {
  let isAsked = false;
  const { cwd, running, claim, report, fleet, said } = await setUp();
  Object.assign(fleet.blobs, {
    get: () => {
      isAsked = true;
      return new Promise(() => undefined);
    },
  });
  await report({ ...ROUND_END, changes: { value: [{ path: 'b.txt', mode: '100644', isNew: true, blob: 'f'.repeat(64) }] } });
  await claim?.end();
  await expect.poll(() => isAsked).toBe(true);
  running.kill();
  expect(await running.result).toMatchObject({ status: 'stopped', failure: null });
  expect([listBelow(cwd), said]).toEqual([['a.txt'], []]);
});
