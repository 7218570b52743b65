import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { showName } from '../../core/text/file-name.ts';
import { MAX_KEPT_CHANGES, type ScopeViolations } from '../../core/tools/scope-violations.ts';
import { toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import type { Repository, RepositorySearch, RepositorySettings } from '../../git/contract.ts';
import { toLook } from '../../git/file-names.ts';
import { readCommonDir } from '../../git/git-places.ts';
import { findRepository, openRepository } from '../../git/repository.ts';
import { removeTree } from '../../process/remove-tree.ts';
import { endInGit, type GitBeginning, type GitFindings, keepCopies, readIndexLook } from './end-in-git.ts';
import { clearMarks, copyIndex } from './index-copy.ts';
import {
  compareTrees,
  MAX_IGNORED,
  type RecordOrder,
  recordPlainly,
  recordTree,
  type TreeChange,
  type TreeRecord,
  toExemption,
} from './tree-record.ts';

/** What the scratch folder holds: the index that the tree is compared with, copies of what may be taken back, what the tree was like when a turn began. */
const INDEX_FILE = 'watch.index';
const COPIES_FOLDER = 'copies';
const BEGINNING_FILE = 'watch.json';

const LATE_NOTE = 'Ralph died during this turn: a person may have changed something since, so nothing was taken back.';

/** Where changes are found, from the least grave place to the gravest. */
const BY_GRAVITY: readonly TreeChange['in'][] = ['nested', 'ignored', 'dirty', 'index', 'refs', 'guarded'];

export interface TreeWatchSettings extends RepositorySettings {
  /** Absolute path of a folder of the run, for an index and copies of ours. It is made when needed. */
  readonly scratchDir: string;
  /** Whether changes are taken back. */
  readonly reverts: boolean;
  /** The run, whose own refs nobody else may change. Absent: no ref of Ralph's is looked at. */
  readonly runId?: string;
}

export interface TreeLook {
  /**
   * What changed since; `null` for nothing. Never rejects.
   *
   * @param showDiff is called before files are taken back: writes the difference where a person finds it, and gives the name of the file
   */
  readonly end: (showDiff: () => Promise<string | null>) => Promise<ScopeViolations | null>;
}

/** Tells what a hat that may not write has written. */
export interface TreeWatch {
  /**
   * Looks at the tree as it is now. Never rejects.
   *
   * @param exempt folders, relative to the folder of the run, whose changes do not count
   * @param turn the name under which a later process asks for it
   */
  readonly begin: (exempt: readonly string[], turn: string) => Promise<TreeLook>;
  /** Somebody who may write gets a turn: what the tree was like before says nothing any more. */
  readonly pass: () => void;
  /**
   * What changed since a turn began whose process is dead; `null` for nothing. Nothing is taken back: a person may have been at work since. Never rejects.
   */
  readonly recall: (turn: string) => Promise<ScopeViolations | null>;
}

/** What a turn left, which the next one ought to find. */
interface LastLook {
  readonly order: RecordOrder;
  readonly after: TreeRecord;
  readonly indexLook: string;
}

interface Memory {
  readonly versions: RecordOrder['versions'];
  search: Promise<RepositorySearch> | undefined;
  last: LastLook | null;
  /** What cannot be seen is said once. */
  readonly told: Set<string>;
}

/** A watch over the folder of a run: one `git status` before a turn and one behind it; outside git a bounded walk. */
export function createTreeWatch(settings: TreeWatchSettings): TreeWatch {
  const memory: Memory = { versions: new Map(), search: undefined, last: null, told: new Set() };
  return {
    begin: async (exempt, turn) => {
      try {
        memory.search ??= findRepository(settings);
        const found = await memory.search;
        if (!found.ok) return beginOutside(settings, exempt, turn);
        return await beginInGit({ settings, memory, repository: found.value }, exempt, turn);
      } catch (error) {
        return { end: async () => toUnseen(error) };
      }
    },
    pass: () => {
      memory.last = null;
    },
    recall: async (turn) => {
      try {
        const beginning = loadBeginning(settings.scratchDir, turn);
        if (beginning === null) return toUnseen('it is not known what it was like before the turn');
        return await recallTurn(settings, beginning, turn);
      } catch (error) {
        return toUnseen(error);
      }
    },
  };
}

interface GitWatch {
  readonly settings: TreeWatchSettings;
  readonly memory: Memory;
  readonly repository: Repository;
}

async function beginInGit({ settings, memory, repository }: GitWatch, exempt: readonly string[], turn: string): Promise<TreeLook> {
  const { scratchDir, reverts } = settings;
  const beganAt = Date.now();
  const indexFile = join(scratchDir, INDEX_FILE);
  const commonDir = readCommonDir(repository.gitDir);
  const { last } = memory;
  memory.last = null;
  // Compared with the index of the last turn, which the next lines overwrite.
  const moved = last !== null && last.indexLook !== readIndexLook(repository.gitDir) ? await recordTree(last.order, last.after) : null;
  copyIndex(repository.gitDir, indexFile);
  const cleared = await clearMarks(repository, indexFile);
  const order = toOrder(settings, { repository, commonDir, ...cleared }, exempt, memory.versions);
  const before = await recordTree(order);
  const between = last === null ? [] : findBetween(last, moved ?? before, order);
  const indexLook = readIndexLook(repository.gitDir);
  const { top, gitDir, prefix } = repository;
  saveBeginning(scratchDir, { turn, exempt, git: { place: { top, gitDir, prefix }, commonDir, ...cleared, indexLook }, before });
  const own = toOwnLook(order);
  const copies = reverts ? keepCopies(before, top, join(scratchDir, COPIES_FOLDER)) : null;
  return {
    end: async (showDiff) => {
      try {
        const isOwnSame = own === toOwnLook(order);
        const found = await endInGit({ order, before, indexLook, copies, beganAt }, showDiff);
        removeTree(join(scratchDir, COPIES_FOLDER));
        if (found.after !== null) memory.last = { order, after: found.after, indexLook: readIndexLook(gitDir) };
        const problem = found.problem ?? (isOwnSame ? null : 'somebody changed what Ralph compares with while the turn went on');
        return toReport({ ...found, problem }, between, memory.told);
      } catch (error) {
        return toUnseen(error);
      }
    },
  };
}

/** The index that the tree is compared with, from outside: a turn that is not in a sandbox could write another one, which hides what it changed. */
function toOwnLook({ indexFile, lookFile }: RecordOrder): string {
  return `${toLook(indexFile)} ${toLook(lookFile)}`;
}

function toOrder(
  { scratchDir, runId }: TreeWatchSettings,
  made: Pick<RecordOrder, 'repository' | 'commonDir' | 'lookFile' | 'submodules'>,
  exempt: readonly string[],
  versions: RecordOrder['versions'],
): RecordOrder {
  return {
    ...made,
    indexFile: join(scratchDir, INDEX_FILE),
    isExempt: toExemption(exempt.map((path) => `${made.repository.prefix}${path}`)),
    ownRefs: runId === undefined ? null : `refs/ralph/${runId}/`,
    versions,
  };
}

/** Files only: commits, refs, the logs of both, and what is ignored are changed between turns by checkpoints and gates. */
function findBetween(last: LastLook, now: TreeRecord, order: RecordOrder): readonly TreeChange[] {
  return compareTrees(last.after, now).filter(
    (change) =>
      (change.in === 'dirty' || (change.in === 'guarded' && !change.path.startsWith('.git/logs/'))) &&
      !order.isExempt(change.path) &&
      !last.order.isExempt(change.path),
  );
}

/** The same look by a process that did not see the beginning. */
async function recallTurn(
  settings: TreeWatchSettings,
  { git, exempt, before }: TurnBeginning,
  turn: string,
): Promise<ScopeViolations | null> {
  if (git === null) return toPlainReport(before, recordPlainly(settings, exempt), [LATE_NOTE]);
  const { place, commonDir, lookFile, submodules, indexLook } = git;
  const made = { repository: openRepository(place, settings), commonDir, lookFile, submodules };
  const beginning: GitBeginning = { order: toOrder(settings, made, exempt, new Map()), before, indexLook, copies: null, beganAt: 0 };
  const ended = await endInGit(beginning, async () => null);
  // The run itself names the trees around the turn; it may have been killed right behind that.
  const isOwn = ({ what, path }: TreeChange): boolean => what === 'ref' && path.startsWith(`refs/ralph/${settings.runId}/${turn}/`);
  const found = { ...ended, changes: ended.changes.filter((change) => !isOwn(change)) };
  return found.changes.length === 0 && found.problem === null
    ? null
    : toReport({ ...found, notes: [...found.notes, LATE_NOTE] }, [], new Set());
}

function toReport(found: GitFindings, between: readonly TreeChange[], told: Set<string>): ScopeViolations | null {
  const { changes, diffFile, restored, problem } = found;
  const fresh = changes.length > 0 ? found.notes : found.notes.filter((note) => !told.has(note));
  for (const note of found.notes) told.add(note);
  const notes = [...fresh, ...(restored?.notes ?? [])];
  if (changes.length + between.length + notes.length === 0 && problem === null) return null;
  const blind = problem === null ? null : toUnseen(problem);
  const paths = toGravestFirst(between)
    .slice(0, MAX_KEPT_CHANGES)
    .map((change) => showName(change.path));
  return {
    ...toViolations(changes, diffFile, restored?.count ?? null, [...(blind?.notes ?? []), ...notes]),
    ...(blind === null ? {} : { isUnseen: true }),
    ...(paths.length === 0 ? {} : { between: { paths, total: between.length } }),
  };
}

function toViolations(
  changes: readonly TreeChange[],
  diffFile: string | null,
  reverted: number | null,
  notes: readonly string[],
): ScopeViolations {
  const shown = toGravestFirst(changes)
    .slice(0, MAX_KEPT_CHANGES)
    .map(({ path, what }) => ({ path: showName(path), what }));
  return { changes: shown, total: changes.length, diffFile, reverted, notes: notes.slice(0, MAX_KEPT_CHANGES) };
}

/** What git will run or believe comes before files: who plants a hook must not be able to bury it under a heap of them. */
function toGravestFirst(changes: readonly TreeChange[]): readonly TreeChange[] {
  const toGravity = (change: TreeChange): number => BY_GRAVITY.indexOf(change.in);
  return [...changes].sort((left, right) => toGravity(right) - toGravity(left));
}

/** Where nothing could be seen, nothing is said of changes; that nobody looked is. */
function toUnseen(error: unknown): ScopeViolations {
  return { ...toViolations([], null, null, [`The working tree could not be compared: ${toErrorMessage(error)}`]), isUnseen: true };
}

function beginOutside(settings: TreeWatchSettings, exempt: readonly string[], turn: string): TreeLook {
  const before = recordPlainly(settings, exempt);
  saveBeginning(settings.scratchDir, { turn, exempt, git: null, before });
  const notes = settings.reverts ? ['Outside a git repository nothing can be taken back.'] : [];
  return { end: async () => toPlainReport(before, recordPlainly(settings, exempt), notes) };
}

/**
 * Looks at a folder as it is now, also at one in a repository that knows nothing of it.
 *
 * @param exempt folders, relative to it, whose changes do not count
 * @returns tells what changed since; `null` for nothing. Never throws
 */
export function watchPlainly(
  folder: Pick<RepositorySettings, 'cwd' | 'stateDirs'>,
  exempt: readonly string[],
): () => ScopeViolations | null {
  try {
    const before = recordPlainly(folder, exempt);
    return () => {
      try {
        return toPlainReport(before, recordPlainly(folder, exempt), []);
      } catch (error) {
        return toUnseen(error);
      }
    };
  } catch (error) {
    return () => toUnseen(error);
  }
}

function toPlainReport(before: TreeRecord, after: TreeRecord, notes: readonly string[]): ScopeViolations | null {
  const changes = compareTrees(before, after);
  const partly = before.isIgnoredWhole && after.isIgnoredWhole ? [] : [`Only the first ${MAX_IGNORED} files were looked at.`];
  return changes.length === 0 ? null : toViolations(changes, null, null, [...partly, ...notes]);
}

/** What a tree was like when a turn began, kept on the disk for a process that comes after this one. */
interface TurnBeginning {
  /** Name of the turn. */
  readonly turn: string;
  readonly exempt: readonly string[];
  /** `null` outside git. */
  readonly git: BeginningInGit | null;
  /** Without the contents of git's own files. */
  readonly before: TreeRecord;
}

interface BeginningInGit {
  readonly place: Pick<Repository, 'top' | 'gitDir' | 'prefix'>;
  readonly commonDir: string;
  readonly lookFile: string;
  readonly submodules: readonly string[];
  readonly indexLook: string;
}

/** Throws the system error. */
function saveBeginning(folder: string, { before, ...rest }: TurnBeginning): void {
  const { dirty, ignored, refs, guarded, nested, ...plain } = before;
  const record = {
    ...plain,
    dirty: [...dirty],
    ignored: [...ignored],
    refs: [...refs],
    guarded: [...guarded].map(([name, { file, version, mode }]) => [name, { file, version, mode, bytes: null }]),
    nested: [...nested],
  };
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${BEGINNING_FILE}.draft`);
  writeFileSync(draft, JSON.stringify({ ...rest, before: record }), { mode: 0o600 });
  renameSync(draft, join(folder, BEGINNING_FILE));
}

/** What was written for a turn; `null` where there is none of it. Throws where it cannot be read. */
function loadBeginning(folder: string, turn: string): TurnBeginning | null {
  const found = readBeginning(join(folder, BEGINNING_FILE));
  if (found === null || found.turn !== turn) return null;
  const { dirty, ignored, refs, guarded, nested, ...plain } = found.before;
  const before = {
    ...plain,
    dirty: new Map(dirty),
    ignored: new Map(ignored),
    refs: new Map(refs),
    guarded: new Map(guarded),
    nested: new Map(nested),
  };
  return { ...found, before };
}

function readBeginning(file: string): TurnBeginning | null {
  try {
    // Written by Ralph alone, in the folder of the run: what somebody made of it shows as an error when it is used.
    return JSON.parse(readFileSync(file, 'utf8')) as TurnBeginning;
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
