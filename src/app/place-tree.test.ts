import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import type { KeptRecord, SentTree } from '../fleet/index.ts';
import { readChanges } from '../fleet/index.ts';
import { findRepository, type Repository } from '../git/index.ts';
import { createWorkCopies } from '../panel/share/index.ts';
import { replaceFiles, writeChanges } from '../workspace/bundle/index.ts';
import { createWorkspace } from '../workspace/checkpoint/index.ts';
import { createHomecoming } from './bring-turn.ts';
import { createPlaceTree } from './place-tree.ts';
import { createTreeSender, type SentRun } from './send-tree.ts';
import { fetchTree, toFileChanges } from './sent-work.ts';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A repository of these files, and settings for whoever looks at it. */
function createTestRepository(files: Readonly<Record<string, string>>) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-place-')));
  folders.push(path);
  const env = { PATH: process.env['PATH'] ?? '', HOME: path, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: path, env, encoding: 'utf8' });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Uma');
  git('config', 'user.email', 'uma@example.org');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { path, git, settings: { cwd: path, env } };
}

const PATHS = ['a.txt', 'b.txt', 'sub/c.txt', 'sub/d/e.txt', 'sub', 'f'] as const;
const STATE = '.ralph';
const TURN = { iteration: 9, attempt: 1 } as IterationStart;

/** What somebody does to a file. */
type Edit = { readonly path: (typeof PATHS)[number]; readonly what: 'remove' | 'link' | 'run' | number };

function edit(top: string, { path, what }: Edit): void {
  const place = join(top, path);
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (lookAt(join(top, folder))?.isDirectory() === false) rmSync(join(top, folder));
  rmSync(place, { recursive: true, force: true });
  if (what === 'remove') return;
  mkdirSync(dirname(place), { recursive: true });
  if (what === 'link') symlinkSync('b.txt', place);
  else {
    // Some are sent on a way of their own.
    writeFileSync(place, what === 'run' ? '#!/bin/sh\n' : `${what}\n`.repeat(what === 7 ? 20_000 : 1));
    if (what === 'run') chmodSync(place, 0o755);
  }
}

function lookAt(place: string): Stats | null {
  try {
    return lstatSync(place);
  } catch {
    return null;
  }
}

/** All files but git's and Ralph's, with what they say. */
function readAll({ path: top }: { readonly path: string }): Readonly<Record<string, string>> {
  const names = readdirSync(top, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => !/^\.(?:git|ralph)(?:\/|$)/.test(name));
  return Object.fromEntries(files.flatMap((name) => readOne(join(top, name)).map((said) => [name, said])));
}

function readOne(place: string): readonly string[] {
  const stats = lstatSync(place);
  if (stats.isDirectory()) return [];
  if (stats.isSymbolicLink()) return [`link ${readlinkSync(place)}`];
  return [`${(stats.mode & 0o100) === 0 ? '' : 'run '}${readFileSync(place, 'utf8')}`];
}

type TestRepository = ReturnType<typeof createTestRepository>;

async function open(repo: TestRepository): Promise<Repository> {
  const found = await findRepository({ cwd: repo.path, env: repo.settings.env, stateDirs: [STATE] });
  if (!found.ok) throw new Error(found.refused);
  return found.value;
}

/** The folder of a run, with what it sends. */
async function setUp() {
  const fleet = createMemoryFleet();
  const repo = createTestRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' });
  const records: KeptRecord[] = [];
  const folder = join(repo.path, STATE, 'runs', 'run-1');
  const workspace = createWorkspace({
    ...repo.settings,
    ...{ stateDirs: [STATE], runId: 'run-1', scratchDir: join(folder, 'git'), baseline: null, checkpointBranch: null, keepsLooks: true },
  });
  const settings = { stateDir: STATE, prompts: { scratchpad: '.agent/x.md', eventsFile: '.agent/e', workspaceDir: '.agent' } };
  const parts = {
    paths: { folder, runId: 'run-1', turns: join(folder, 'turns') },
    file: { workspace: repo.path, settings: { ...settings, mcpServers: [], backends: {}, worktreeLinks: [] }, gitPrograms: {} },
    env: repo.settings.env,
    fleet,
    readNotes: () => null,
    keeper: { add: (record: KeptRecord) => records.push(record), confirm: async () => undefined },
  } as unknown as SentRun;
  const send = createTreeSender(parts);
  const copies = createWorkCopies({
    ...{ folder: join(folder, 'copies'), workspace: repo.path, links: [], skipped: [STATE] },
    listIgnored: async () => [],
    prepare: () => undefined,
  });
  let turn = 0;
  const snapshot = (): ReturnType<typeof workspace.snapshot> => {
    turn += 1;
    return workspace.snapshot(`${turn}.1`, 'opened');
  };
  return {
    ...{ fleet, repo, records, folder, copies, parts, workspace },
    send: async (isKept = true): Promise<SentTree> => send(await snapshot(), isKept),
    bring: async (body: Json, touched: readonly string[] = []) => {
      const sent = body === null ? [] : await readChanges(fleet.blobs, body);
      const changes = await toFileChanges(fleet.blobs, sent);
      const paths = sent.map((change) => ({
        ...{ path: change.path, isTouched: touched.includes(change.path) },
        isNew: change.mode !== null && change.isNew,
      }));
      return copies.bring(`${turn}.1`, { paths, write: (to) => writeChanges(to, changes), isDiscarded: false });
    },
  };
}

/** A worker's place. */
async function createPlace({ fleet }: Pick<Awaited<ReturnType<typeof setUp>>, 'fleet'>) {
  const repo = createTestRepository({ x: 'x\n' });
  const repository = await open(repo);
  const scratchDir = join(repo.path, STATE, 'git');
  const workspace = createWorkspace({
    ...repo.settings,
    ...{ stateDirs: [STATE], runId: 'run-1', scratchDir, baseline: null, checkpointBranch: null, keepsLooks: true, keepsSnapshots: false },
  });
  return { repo, tree: createPlaceTree(repository, workspace, { blobs: fleet.blobs, scratch: join(repo.path, '.git') }) };
}

const edits = fc.array(
  fc.record({
    path: fc.constantFrom(...PATHS),
    what: fc.oneof(fc.constantFrom('remove' as const, 'link' as const, 'run' as const), fc.integer({ min: 0, max: 7 })),
  }),
  { maxLength: 4 },
);

/** A turn on one of two workers, and what else happens before it. */
const turns = fc.array(
  fc.record({
    worker: fc.integer({ min: 0, max: 1 }),
    before: edits,
    made: edits,
    commits: fc.constantFrom('nobody', 'nobody', 'nobody', 'person', 'agent'),
    isBrought: fc.boolean(),
    gate: fc.option(edits),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('a working tree that travels step by step', () => {
  test('is on each worker what it is where the run is, whatever changed it and whoever has it next', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (list) => {
        const run = await setUp();
        const places = [await createPlace(run), await createPlace(run)];
        let sent = await run.send();
        for (const { worker, before, made, commits, isBrought, gate } of list) {
          for (const one of before) edit(run.repo.path, one);
          if (commits === 'person') {
            run.repo.git('add', '-A', ':!.ralph');
            run.repo.git('commit', '-qm', 'mine', '--allow-empty');
          }
          const place = places[worker];
          if (place === undefined) throw new Error('no such worker');
          if (gate !== null) {
            await place.tree.show(await run.send(false));
            expect(readAll(place.repo)).toEqual(readAll(run.repo));
            for (const one of gate) edit(place.repo.path, one);
            await place.tree.leave();
          }
          sent = await run.send();
          expect(await place.tree.show(sent)).toBe(sent.steps.at(-1)?.to ?? sent.work.tree);
          expect(readAll(place.repo)).toEqual(readAll(run.repo));
          for (const one of made) edit(place.repo.path, one);
          if (commits === 'agent') {
            place.repo.git('add', '-A', ':!.ralph');
            place.repo.git('commit', '-qm', 'its own', '--allow-empty');
          }
          const after = readAll(place.repo);
          const body = await place.tree.collect();
          if (!isBrought) continue;
          expect(await run.bring(body)).toEqual({});
          expect(readAll(run.repo)).toEqual(after);
        }
        // Whoever goes on has the same from what was sent alone.
        sent = await run.send();
        const elsewhere = createTestRepository({ x: 'x\n' });
        const tree = await fetchTree(run.fleet.blobs, await open(elsewhere), sent, join(elsewhere.path, '.git', 'scratch'));
        elsewhere.git('read-tree', '--reset', '-u', tree.commit);
        expect(readAll(elsewhere)).toEqual(readAll(run.repo));
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test('holds nothing that git ignores from some moment on', async () => {
    const run = await setUp();
    edit(run.repo.path, { path: 'f', what: 1 });
    await run.send();
    writeFileSync(join(run.repo.path, 'f'), 'secret\n');
    writeFileSync(join(run.repo.path, '.gitignore'), 'f\n');
    const sent = await run.send();
    const place = await createPlace(run);
    await place.tree.show(sent);
    expect(readAll(place.repo)).not.toHaveProperty('f');
    expect(JSON.stringify([sent, run.records])).not.toContain(Buffer.from('secret\n').toString('base64'));
  });

  test('sends a small change without git, and the whole after a commit', async () => {
    const run = await setUp();
    await run.send();
    edit(run.repo.path, { path: 'a.txt', what: 1 });
    const sent = await run.send();
    expect([sent.steps.length, run.records.map(({ kind }) => kind)]).toEqual([1, ['tree', 'step']]);
    expect(await run.send()).toEqual(sent);
    run.repo.git('commit', '-qam', 'mine');
    expect((await run.send()).steps).toEqual([]);
  });
});

describe('what a turn made elsewhere', () => {
  test('does not come over a file that somebody changed meanwhile, and is kept beside', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    await place.tree.show(await run.send());
    edit(place.repo.path, { path: 'a.txt', what: 1 });
    edit(place.repo.path, { path: 'f', what: 2 });
    const body = await place.tree.collect();
    edit(run.repo.path, { path: 'a.txt', what: 3 });
    const { conflict } = await run.bring(body, ['a.txt']);
    expect(conflict?.paths).toEqual(['a.txt']);
    expect(readAll(run.repo)).toMatchObject({ 'a.txt': '3\n' });
    expect(readAll(run.repo)).not.toHaveProperty('f');
    const kept = join(run.repo.path, STATE, 'runs', 'run-1', conflict?.kept ?? '', 'work');
    expect([readFileSync(join(kept, 'a.txt'), 'utf8'), readFileSync(join(kept, 'f'), 'utf8')]).toEqual(['1\n', '2\n']);
  });

  test('takes nothing that is ignored here for its own, and comes twice without harm', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    await place.tree.show(await run.send());
    edit(place.repo.path, { path: 'f', what: 1 });
    const body = await place.tree.collect();
    mkdirSync(join(run.repo.path, '.git', 'info'), { recursive: true });
    writeFileSync(join(run.repo.path, '.git', 'info', 'exclude'), 'f\n');
    edit(run.repo.path, { path: 'f', what: 2 });
    expect((await run.bring(body)).conflict?.paths).toEqual(['f']);
    rmSync(join(run.repo.path, 'f'));
    expect(await run.bring(body)).toEqual({});
    expect(await run.bring(body)).toEqual({});
    expect(readFileSync(join(run.repo.path, 'f'), 'utf8')).toBe('1\n');
  });

  /** Brings a turn home into the folder, where somebody does something while it is looked at. */
  async function bringHome(run: Awaited<ReturnType<typeof setUp>>, from: string, changes: Json, meanwhile: () => void) {
    const workspace = {
      snapshot: async (...of: Parameters<typeof run.workspace.snapshot>) => {
        const seen = await run.workspace.snapshot(...of);
        meanwhile();
        return seen;
      },
    };
    const { bringIn } = createHomecoming({ ...run.parts, workspace, copies: run.copies, folder: join(run.folder, 'copies') });
    return bringIn(TURN, { changes, from, files: [], scratchpad: null }, false);
  }

  test('does not come over what somebody writes while the folder is looked at', async () => {
    for (const path of ['a.txt', 'f'] as const) {
      const run = await setUp();
      const place = await createPlace(run);
      const from = await place.tree.show(await run.send());
      edit(place.repo.path, { path, what: 1 });
      const body = await place.tree.collect();
      const home = await bringHome(run, from, body, () => edit(run.repo.path, { path, what: 2 }));
      expect(home.conflict?.paths).toEqual([path]);
      expect(readAll(run.repo)).toMatchObject({ [path]: '2\n' });
      expect((await bringHome(run, from, body, () => undefined)).conflict?.paths).toEqual([path]);
    }
  });

  test('comes into a folder in which somebody changed another file, with the rights that files have there', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    chmodSync(join(run.repo.path, 'a.txt'), 0o640);
    const from = await place.tree.show(await run.send());
    edit(place.repo.path, { path: 'a.txt', what: 1 });
    const home = await bringHome(run, from, await place.tree.collect(), () => edit(run.repo.path, { path: 'b.txt', what: 2 }));
    expect(home).not.toHaveProperty('conflict');
    expect(readAll(run.repo)).toMatchObject({ 'a.txt': '1\n', 'b.txt': '2\n' });
    expect(lstatSync(join(run.repo.path, 'a.txt')).mode & 0o777).toBe(0o640);
  });

  test('is no conflict where its agent left a file in conflict, or took one out of the index', async () => {
    const run = await setUp();
    const place = await createPlace(run);
    const from = await place.tree.show(await run.send());
    const { git, path: top } = place.repo;
    writeFileSync(join(top, 'a.txt'), 'stashed\n');
    git('stash', '-q');
    writeFileSync(join(top, 'a.txt'), 'other\n');
    git('commit', '-qam', 'other');
    expect(() => git('stash', 'pop')).toThrow();
    writeFileSync(join(top, 'a.txt'), 'by hand\n');
    git('rm', '-q', '--cached', 'b.txt');
    writeFileSync(join(top, 'b.txt'), 'kept\n');
    const home = await bringHome(run, from, await place.tree.collect(), () => undefined);
    expect(home).not.toHaveProperty('conflict');
    expect(readAll(run.repo)).toMatchObject({ 'a.txt': 'by hand\n', 'b.txt': 'kept\n' });
  });

  test('leaves nothing of itself where not all of it can be written', async () => {
    const { repo } = await setUp();
    const before = readAll(repo);
    const state = { mode: '100644', bytes: Buffer.from('new') } as const;
    expect(
      replaceFiles(
        repo.path,
        new Map([
          ['a.txt', state],
          ['f', state],
          ['f/g', state],
        ]),
        (path) => path !== 'a.txt',
      ),
    ).toBe(false);
    // Stands where a file is written before it takes its place.
    const draft = `.ralph-${createHash('sha256').update('sub/c.txt').digest('hex').slice(0, 16)}.tmp`;
    mkdirSync(join(repo.path, 'sub', draft));
    expect(() =>
      replaceFiles(
        repo.path,
        new Map([
          ['a.txt', state],
          ['sub/c.txt', state],
        ]),
        () => false,
      ),
    ).toThrow();
    rmSync(join(repo.path, 'sub', draft), { recursive: true, force: true });
    expect(readAll(repo)).toEqual(before);
  });

  test('names no file outside of the folder, and none of git’s own', async () => {
    const { fleet } = await setUp();
    for (const path of ['../x', '/x', '.git/config', 'sub/.GIT/hooks/pre-commit', 'a//b', './a', 'a/..', ''])
      await expect(toFileChanges(fleet.blobs, [{ path, mode: null }])).rejects.toThrow('no path of a file');
    await expect(toFileChanges(fleet.blobs, [{ path: 'a', mode: '160000', isNew: true, bytes: '' }])).rejects.toThrow('no kind of file');
  });

  test('goes through no link', async () => {
    const repo = createTestRepository({ x: 'x\n' });
    const elsewhere = createTestRepository({ 'c.txt': 'precious\n' });
    symlinkSync(elsewhere.path, join(repo.path, 'sub'));
    expect(() => writeChanges(repo.path, new Map([['sub/c.txt', { mode: '100644', bytes: Buffer.from('x') }]]))).toThrow('stands where');
    writeChanges(repo.path, new Map([['sub/c.txt', null]]));
    expect(readFileSync(join(elsewhere.path, 'c.txt'), 'utf8')).toBe('precious\n');
  });
});
