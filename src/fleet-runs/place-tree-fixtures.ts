import { execFileSync } from 'node:child_process';
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
import type { IterationStart } from '../core/run/effects.ts';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import type { KeptRecord, SentTree } from '../fleet/run-records.ts';
import { readChanges } from '../fleet/run-records.ts';
import type { Repository } from '../git/contract.ts';
import { findRepository } from '../git/repository.ts';
import { createWorkCopies } from '../panel/share/work-copies.ts';
import { writeChanges } from '../workspace/bundle/file-changes.ts';
import { createWorkspace } from '../workspace/checkpoint/create-workspace.ts';
import type { Baseline } from '../workspace/snapshot/baseline-record.ts';
import { createHomecoming, type SentHome } from './bring-turn.ts';
import { createPlaceTree } from './place-tree.ts';
import { createOpener, createTreeSender, type SentRun } from './send-tree.ts';
import { toFileChanges } from './sent-work.ts';

/** Where git is on Linux and macOS. */
const PROGRAM_FOLDERS = '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin';

const folders: string[] = [];

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A repository of these files, and settings for whoever looks at it. */
export function createTestRepository(files: Readonly<Record<string, string>>) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-place-')));
  folders.push(path);
  const env = { PATH: PROGRAM_FOLDERS, HOME: path, GIT_CONFIG_NOSYSTEM: '1' };
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

export const PATHS = ['a.txt', 'b.txt', 'sub/c.txt', 'sub/d/e.txt', 'sub', 'f'] as const;
const STATE = '.ralph';
const TURN = { iteration: 9, attempt: 1 } as IterationStart;

/** What somebody does to a file. */
export type Edit = { readonly path: (typeof PATHS)[number]; readonly what: 'remove' | 'link' | 'run' | number };

export function edit(top: string, { path, what }: Edit): void {
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
export function readAll({ path: top }: { readonly path: string }): Readonly<Record<string, string>> {
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

export async function open(repo: TestRepository): Promise<Repository> {
  const found = await findRepository({ cwd: repo.path, env: repo.settings.env, stateDirs: [STATE] });
  if (!found.ok) throw new Error(found.refused);
  return found.value;
}

/** The folder of a run, with what it sends. */
export async function setUp(
  fleet = createMemoryFleet(),
  repo = createTestRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' }),
  baseline: Baseline | null = null,
) {
  const records: KeptRecord[] = [];
  const keep = (record: KeptRecord): number => records.push(record);
  const folder = join(repo.path, STATE, 'runs', 'run-1');
  const workspace = createWorkspace({
    ...repo.settings,
    ...{ stateDirs: [STATE], runId: 'run-1', scratchDir: join(folder, 'git'), baseline, checkpointBranch: null, keepsLooks: true },
  });
  const settings = { stateDir: STATE, prompts: { scratchpad: '.agent/x.md', eventsFile: '.agent/e', workspaceDir: '.agent' } };
  const parts = {
    paths: { folder, runId: 'run-1', turns: join(folder, 'turns') },
    file: { workspace: repo.path, settings: { ...settings, mcpServers: [], backends: {}, worktreeLinks: [] }, gitPrograms: {} },
    env: repo.settings.env,
    fleet,
    readNotes: () => null,
    keeper: { add: keep, addLater: keep, confirm: async () => undefined },
  } as unknown as SentRun;
  const repository = createOpener(parts);
  const send = createTreeSender(parts, repository);
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
    ...{ fleet, repo, records, folder, copies, parts, repository, workspace },
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
export async function createPlace({ fleet }: Pick<Awaited<ReturnType<typeof setUp>>, 'fleet'>) {
  const repo = createTestRepository({ x: 'x\n' });
  const repository = await open(repo);
  const scratchDir = join(repo.path, STATE, 'git');
  const workspace = createWorkspace({
    ...repo.settings,
    ...{ stateDirs: [STATE], runId: 'run-1', scratchDir, baseline: null, checkpointBranch: null, keepsLooks: true, keepsSnapshots: false },
  });
  return { repo, tree: createPlaceTree(repository, workspace, { blobs: fleet.blobs, scratch: join(repo.path, '.git') }) };
}

/** Brings a turn home into the folder, where somebody does something while it is looked at; with what a person is told. */
export async function bringHome(
  run: Awaited<ReturnType<typeof setUp>>,
  home: Partial<SentHome> & Pick<SentHome, 'from'>,
  meanwhile: () => void = () => undefined,
  isDiscarded = false,
  signal = new AbortController().signal,
) {
  const told: string[] = [];
  const workspace = {
    snapshot: async (...of: Parameters<typeof run.workspace.snapshot>) => {
      const seen = await run.workspace.snapshot(...of);
      meanwhile();
      return seen;
    },
  };
  const tell = (text: string): number => told.push(text);
  const { bringIn } = createHomecoming({
    ...run.parts,
    ...{ repository: run.repository, workspace, copies: run.copies, tell, folder: join(run.folder, 'copies') },
  });
  const value = { changes: null, commits: null, files: [], scratchpad: null, ...home };
  return { ...(await bringIn(TURN, value as unknown as Json, isDiscarded, signal)), told };
}
