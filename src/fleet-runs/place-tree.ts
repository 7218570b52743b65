import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import { CHANGES_LIMIT, type SentChange, type SentTree, sendChanges } from '../fleet/run-records.ts';
import { toTooLarge, toUnseen } from '../fleet/too-large.ts';
import { ABSENT, type Repository } from '../git/contract.ts';
import { isOddName, toLook } from '../git/file-names.ts';
import { locateRepository } from '../git/repository.ts';
import { listDifferences } from '../git/trees.ts';

import type { Blobs } from '../ports/fleet.ts';
import { checkOutWork, type MadeCommits, packCommits } from '../workspace/bundle/bundle.ts';
import { type FileChanges, type FileState, readFileState, writeChanges } from '../workspace/bundle/file-changes.ts';
import type { GitWorkspace, WorkLooks } from '../workspace/checkpoint/create-workspace.ts';
import { listDiffering } from './send-tree.ts';
import { fetchChanges, fetchTree, type LeftCommits, MAX_COMMITTED_BYTES, type SentCommits, toSentChange } from './sent-work.ts';

/** The working tree of a worker's place, which nobody else changes between turns. */
export interface PlaceTree {
  /** Makes it show a tree; the name under which that was sent. Where it shows an earlier one of the same run, only what changed since is written. */
  readonly show: (sent: SentTree) => Promise<string>;
  /** What the turn changed and committed, as it is sent home. */
  readonly collect: () => Promise<Collected>;
  /** Something else than a turn used it: what that changed goes nowhere, and is gone when the next tree is shown. */
  readonly leave: () => Promise<void>;
}

/** What a turn made. */
export interface Collected {
  /** `null`: it changed no file. */
  readonly changes: Json;
  /** `null`: it committed nothing. */
  readonly commits: SentCommits | LeftCommits | null;
}

/** What the folder shows. */
interface Shown {
  /** The commit of the whole tree, and the tree of one of the steps after it. */
  readonly commit: string;
  readonly tree: string;
  readonly looks: WorkLooks;
  /** What the last turn made of it, by path: it may have come home or not. */
  readonly own: ReadonlyMap<string, string>;
}

interface PlaceParts {
  readonly blobs: Blobs;
  /** Absolute path of a folder of ours. */
  readonly scratch: string;
}

export function createPlaceTree(repository: Repository, workspace: Pick<GitWorkspace, 'look'>, { blobs, scratch }: PlaceParts): PlaceTree {
  const { top } = repository;
  let shown: Shown | null = null;
  /** What it showed when whoever uses it began; until that has ended nobody knows what it shows. */
  let given: Shown | null = null;
  const checkOwn = createOwnCheck(repository);
  const look = async (): Promise<WorkLooks> => {
    await checkOwn();
    const { looks, unseen } = await workspace.look();
    if (unseen !== undefined) throw toUnseen(unseen);
    if (looks === undefined) throw toTooLarge('What differs from the commit', CHANGES_LIMIT);
    return looks;
  };
  const takeBack = (): Shown => {
    const before = given;
    given = null;
    if (before === null) throw new Error('nobody knows what the folder showed');
    return before;
  };
  return {
    show: async (sent) => {
      const tree = sent.steps.at(-1)?.to ?? sent.work.tree;
      const before = shown;
      [shown, given] = [null, null];
      const pending = before === null ? null : await listPending(blobs, before, sent);
      const { commit } = sent.work;
      if (before !== null && pending !== null && isWritten(top, pending))
        given = { commit, tree, looks: withWritten(before.looks, top, pending), own: new Map() };
      else {
        await requireOwn(repository);
        await checkOutWork(repository, await fetchTree(blobs, repository, sent, scratch));
        given = { commit, tree, looks: await look(), own: new Map() };
      }
      return tree;
    },
    collect: async () => {
      const before = takeBack();
      const looks = await look();
      const changed = await listChanged(repository, before.looks, looks);
      const { changes, own } = await readChanged(blobs, top, changed);
      shown = changed.isMoved ? null : { ...before, looks, own };
      const commits = changed.isMoved ? await sendCommits(repository, { blobs, scratch }, before.looks, looks) : null;
      return { changes: changes.length === 0 ? null : await sendChanges(blobs, changes), commits };
    },
    leave: async () => {
      const before = takeBack();
      const looks = await look();
      const { paths, isMoved } = await listChanged(repository, before.looks, looks);
      shown = isMoved || paths.length > 0 ? null : { ...before, looks };
    },
  };
}

async function readChanged(
  blobs: Blobs,
  top: string,
  { paths, added }: Changed,
): Promise<{ readonly changes: readonly SentChange[]; readonly own: ReadonlyMap<string, string> }> {
  const own = new Map<string, string>();
  const changes: SentChange[] = [];
  for (const path of paths) {
    if (isOddName(path)) throw new Error(`a file cannot travel whose name is no UTF-8: ${JSON.stringify(path)}`);
    const state = readFileState(top, path);
    own.set(path, toKey(state));
    changes.push(await toSentChange(blobs, path, state, added.has(path)));
  }
  return { changes, own };
}

async function sendCommits(
  repository: Pick<Repository, 'git'>,
  { blobs, scratch }: Pick<PlaceParts, 'blobs' | 'scratch'>,
  { head: from, branch }: WorkLooks,
  now: WorkLooks,
): Promise<SentCommits | LeftCommits> {
  if (now.branch !== branch) return { why: 'its agent is on another branch' };
  if (from === null || now.head === null) return { why: 'its agent left no commit checked out' };
  const made: MadeCommits = { from, commit: now.head, branch };
  try {
    const bundle = await packCommits(repository, made, { file: join(scratch, 'ralph.commits'), maxBytes: MAX_COMMITTED_BYTES });
    return typeof bundle === 'string' ? { why: bundle } : { ...made, blob: await blobs.put(bundle) };
  } catch (error) {
    // The files come home all the same.
    return { why: `they could not be packed: ${toErrorMessage(error)}` };
  }
}

/** As `requireOwn`; git is asked again where what it goes by looks different. */
function createOwnCheck(repository: Pick<Repository, 'top' | 'gitDir' | 'git' | 'findPrograms'>): () => Promise<void> {
  let checked: string | null = null;
  return async () => {
    const look = (await repository.findPrograms?.())?.look ?? null;
    if (look !== null && look === checked) return;
    await requireOwn(repository);
    checked = look;
  };
}

/** What used the folder may have led git to other files, or to another repository: those are not to be read or written. */
async function requireOwn({ top, gitDir, git }: Pick<Repository, 'top' | 'gitDir' | 'git'>): Promise<void> {
  const place = await locateRepository(git, top);
  const isOwn = place.ok && place.value.top === top && place.value.gitDir === gitDir;
  if (!isOwn) throw new Error(`the folder is no repository of its own any more${place.ok ? '' : `: ${place.refused.problem}`}`);
}

/** Where something stands in the way, git makes the folder anew. */
function isWritten(top: string, changes: FileChanges): boolean {
  try {
    writeChanges(top, changes);
    return true;
  } catch {
    return false;
  }
}

interface Changed {
  /** Sorted. */
  readonly paths: readonly string[];
  /** Those of them that were not there. */
  readonly added: ReadonlySet<string>;
  /** The commit is another one. */
  readonly isMoved: boolean;
}

async function listChanged(
  { top, git, isOwnState }: Pick<Repository, 'top' | 'git' | 'isOwnState'>,
  before: WorkLooks,
  now: WorkLooks,
): Promise<Changed> {
  // As in the commit, or gone: of these git says nothing.
  const isAsWritten = (path: string): boolean => !now.files.has(path) && before.files.get(path)?.look === toLook(join(top, path));
  const paths = new Set(listDiffering(before, now).filter((path) => !isAsWritten(path)));
  const added = new Set([...paths].filter((path) => !before.files.has(path) && now.files.get(path)?.isNew === true));
  const isMoved = now.head !== before.head || now.branch !== before.branch;
  // What an agent committed differs from the commit no more.
  if (isMoved && before.head !== null && now.head !== null)
    for (const { path, left } of await listDifferences(git, before.head, now.head)) {
      if (isOwnState(path)) continue;
      if (left === ABSENT && !before.files.has(path)) added.add(path);
      paths.add(path);
    }
  return { paths: [...paths].sort(), added, isMoved };
}

/** What is to be written so that the folder shows another tree; `null` where that cannot be told. */
async function listPending(blobs: Blobs, { commit, tree, own }: Shown, { work, steps }: SentTree): Promise<FileChanges | null> {
  if (commit !== work.commit) return null;
  const place = [work.tree, ...steps.map(({ to }) => to)].lastIndexOf(tree);
  const [next, ...later] = place < 0 ? [] : steps.slice(place);
  if (next === undefined) return place < 0 || own.size > 0 ? null : new Map();
  const pending = new Map(await fetchChanges(blobs, next.body));
  // What came home as it is here is not written once more.
  for (const [path, key] of own) {
    const state = pending.get(path);
    if (state === undefined || toKey(state) !== key) return null;
    pending.delete(path);
  }
  for (const { body } of later) for (const [path, state] of await fetchChanges(blobs, body)) pending.set(path, state);
  return pending;
}

function toKey(state: FileState | null): string {
  return state === null ? '' : `${state.mode} ${createHash('sha256').update(state.bytes).digest('hex')}`;
}

function withWritten(looks: WorkLooks, top: string, written: FileChanges): WorkLooks {
  const files = new Map(looks.files);
  for (const path of written.keys()) files.set(path, { look: toLook(join(top, path)), isNew: files.get(path)?.isNew ?? false });
  return { ...looks, files };
}
