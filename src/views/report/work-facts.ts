import { PATH_CLASSES, type PathClass } from '../../core/gates/classify-paths.ts';
import type { FileStat, RunStat } from '../../core/run/run-stat.ts';
import type { CommitLine, WorkState } from '../../core/run/work-state.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts';

/** A file that a run changed, and what it decides beside the work. */
export interface ChangedFile extends FileStat {
  readonly class: PathClass | null;
  /** It changed after the last required gate that passed. */
  readonly isAfterGreen: boolean;
}

/** What a run changed, in a bounded size. */
export interface ChangeFacts extends Omit<RunStat, 'files'> {
  /** Of all files. */
  readonly count: number;
  readonly binary: number;
  /** Of very many, those to read first, by path. */
  readonly files: readonly ChangedFile[];
}

/** Where the work of a run is. */
export interface WorkPlace {
  /** Absolute path of the folder that its agents worked in. */
  readonly folder: string;
  /** Whether that folder is there. */
  readonly isThere: boolean;
  /** Name of its worktree; `null` in the main checkout. */
  readonly worktree: string | null;
  /** The branch that it began on; `null` where none was checked out. */
  readonly baseBranch: string | null;
  /** As the repository is now; `null` outside git. */
  readonly state: WorkState | null;
  /** Why the last commit in the worktree failed; absent: it did not. */
  readonly commitFailure?: string;
}

/** What a person did with a run's work after its end; absent: nothing. */
export interface RunFate {
  /** Its files are as they were after that iteration; 0: before the first. */
  readonly undone?: { readonly at: number; readonly toTurn: number };
  /** Its branch was merged into `onto`; the command `revert` takes it out again. */
  readonly landed?: { readonly at: number; readonly onto: string; readonly revert: string };
  /** An undo, or what takes one back, was interrupted. */
  readonly isUndoOpen?: true;
  /** What is not known of this, because a file in the folder of the run cannot be read. */
  readonly unknown?: readonly UnknownFate[];
}

/** A file that would say whether a run was undone, or landed. */
export interface UnknownFate {
  readonly of: 'undone' | 'landed';
  /** Its name. */
  readonly file: string;
}

/** Files of installed packages that changed between a run's beginning and its end, out of git's sight. */
export interface PackageFacts {
  readonly count: number;
  /** Some of them. */
  readonly first: readonly string[];
  /** Whether every file was looked at. */
  readonly isWhole: boolean;
}

/** What is known of a run beside its journal. */
export interface WorkFacts extends RunFate {
  /** Time of the last input that they are about, epoch milliseconds. */
  readonly at: number;
  /** `null` where nobody knows. */
  readonly changed: ChangeFacts | null;
  /** The run was copied from a fleet, to be looked at: its files are where it is. */
  readonly isCopy?: true;
  /** `null` where its settings are lost. */
  readonly place: WorkPlace | null;
  /** Absent: the run has not ended, or nobody looked. */
  readonly packages?: PackageFacts;
}

/** How files are classified. */
interface ChangeRules {
  /** Of a path from the folder that the agents work in. */
  readonly classify: (path: string) => PathClass | null;
  /** Paths, from the top of the repository, that changed after the last required gate that passed. */
  readonly afterGreen: ReadonlySet<string>;
}

/** More files are only counted. */
const MAX_FILES = 1000;

/** What a run changed, with the class of each file. Pure. */
export function toChangeFacts({ files, ...stat }: RunStat, { classify, afterGreen }: ChangeRules): ChangeFacts {
  const known = files.map((file) => ({
    ...file,
    class: classify(toInner(file.path, stat.prefix)) ?? (file.from === null ? null : classify(toInner(file.from, stat.prefix))),
    isAfterGreen: afterGreen.has(file.path),
  }));
  const kept = known.length <= MAX_FILES ? known : rankFiles(known).slice(0, MAX_FILES);
  const binary = files.filter((file) => file.added === null && !file.isSubmodule).length;
  return { ...stat, count: files.length, binary, files: kept.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

function toInner(path: string, prefix: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** In the order in which a person reads them: what judges the work, then what changed most. */
function rankFiles(files: readonly ChangedFile[]): readonly ChangedFile[] {
  return files.toSorted((a, b) => toClassRank(a) - toClassRank(b) || toSize(b) - toSize(a) || (a.path < b.path ? -1 : 1));
}

function toClassRank(file: ChangedFile): number {
  return file.class === null ? PATH_CLASSES.length : PATH_CLASSES.indexOf(file.class);
}

/** Lines that changed. A binary file comes first of its class. */
function toSize({ added, removed }: FileStat): number {
  return added === null || removed === null ? Number.MAX_SAFE_INTEGER : added + removed;
}

/** Why a file is to be read. */
export interface FileToRead {
  readonly file: ChangedFile;
  readonly why: 'gate' | 'protected' | 'test' | 'configuration' | 'large' | 'unchecked';
}

/** Lines from which on a change is large. */
const LARGE_LINES = 20;
const MAX_LARGE = 5;

/** The files to be read first: those that judge the work, the largest changes, and what no gate has seen. */
export function toReadFirst({ files }: ChangeFacts): readonly FileToRead[] {
  const ranked = rankFiles(files);
  const deciding = ranked.flatMap((file) => (file.class === null ? [] : [{ file, why: file.class }]));
  const rest = ranked.filter((file) => file.class === null);
  const large = rest.filter((file) => toSize(file) >= LARGE_LINES).slice(0, MAX_LARGE);
  const unchecked = rest.filter((file) => file.isAfterGreen && !large.includes(file));
  return [
    ...deciding,
    ...large.map((file) => ({ file, why: 'large' as const })),
    ...unchecked.map((file) => ({ file, why: 'unchecked' as const })),
  ];
}

const MAX_ITEMS = 2000;
const STATUSES: readonly ChangedFile['status'][] = ['added', 'changed', 'deleted', 'renamed'];

/** Facts that were written as JSON; `null` for anything else. Pure. */
export function parseFacts(json: Json | undefined): WorkFacts | null {
  if (!isJsonObject(json) || typeof json['at'] !== 'number') return null;
  const packages = parsePackages(json['packages']);
  return { at: json['at'], changed: parseChanged(json['changed']), place: parsePlace(json['place']), ...(packages && { packages }) };
}

function parsePackages(json: Json | undefined): PackageFacts | null {
  if (!isJsonObject(json) || typeof json['count'] !== 'number') return null;
  return { count: json['count'], first: toTexts(json['first']), isWhole: json['isWhole'] !== false };
}

function parseChanged(json: Json | undefined): ChangeFacts | null {
  if (!isJsonObject(json) || !Array.isArray(json['files'])) return null;
  const { prefix } = json;
  const figures = ['count', 'binary', 'added', 'removed'].map((key) => toNumber(json[key]));
  const [count, binary, added, removed] = figures;
  if (count == null || binary == null || added == null || removed == null) return null;
  return {
    count,
    binary,
    added,
    removed,
    files: json['files'].slice(0, MAX_ITEMS).flatMap(parseFile),
    between: toTexts(json['between']),
    isWhole: json['isWhole'] !== false,
    prefix: typeof prefix === 'string' ? prefix : '',
  };
}

function parseFile(json: Json): readonly ChangedFile[] {
  if (!isJsonObject(json) || typeof json['path'] !== 'string') return [];
  const status = STATUSES.find((word) => word === json['status']);
  if (status === undefined) return [];
  return [
    {
      path: json['path'],
      from: toText(json['from']),
      status,
      added: toNumber(json['added']),
      removed: toNumber(json['removed']),
      isSubmodule: json['isSubmodule'] === true,
      class: PATH_CLASSES.find((name) => name === json['class']) ?? null,
      isAfterGreen: json['isAfterGreen'] === true,
    },
  ];
}

function parsePlace(json: Json | undefined): WorkPlace | null {
  if (!isJsonObject(json) || typeof json['folder'] !== 'string') return null;
  return {
    folder: json['folder'],
    isThere: json['isThere'] === true,
    worktree: toText(json['worktree']),
    baseBranch: toText(json['baseBranch']),
    state: parseState(json['state']),
    ...(typeof json['commitFailure'] === 'string' ? { commitFailure: json['commitFailure'] } : {}),
  };
}

function parseState(json: Json | undefined): WorkState | null {
  if (!isJsonObject(json) || !isJsonObject(json['uncommitted'])) return null;
  const { uncommitted, commits } = json;
  return {
    head: toText(json['head']),
    branch: toText(json['branch']),
    uncommitted: { count: toNumber(uncommitted['count']) ?? 0, first: toTexts(uncommitted['first']) },
    commits: isJsonObject(commits)
      ? { count: toNumber(commits['count']) ?? 0, newest: toItems(commits['newest']).flatMap(parseCommit) }
      : null,
  };
}

function parseCommit(json: JsonObject): readonly CommitLine[] {
  const { commit, subject } = json;
  return typeof commit === 'string' && typeof subject === 'string' ? [{ commit, subject }] : [];
}

function toItems(json: Json | undefined): readonly JsonObject[] {
  return Array.isArray(json) ? json.slice(0, MAX_ITEMS).filter(isJsonObject) : [];
}

function toTexts(json: Json | undefined): readonly string[] {
  return Array.isArray(json) ? json.slice(0, MAX_ITEMS).filter((item) => typeof item === 'string') : [];
}

function toText(json: Json | undefined): string | null {
  return typeof json === 'string' ? json : null;
}

function toNumber(json: Json | undefined): number | null {
  return typeof json === 'number' ? json : null;
}
