import type { FileStat, RunStat } from '../../core/run/run-stat.ts';
import type { Repository } from '../../git/contract.ts';
import { listChangedFiles, readTrees } from './tree-names.ts';

/** The longest patch that is shown whole. */
const LONGEST_PATCH = 8 << 20;
/** So many files are asked for at once where all of them together are too much. */
const BATCH_FILES = 100;
/** More paths than these are not left out one by one. */
const MAX_EXCLUDED = 500;

/** Nothing that the repository names is run, whatever its configuration says; renames are looked for as far as that is quick. */
const PLAIN = ['-r', '-M', '-l1000', '--no-ext-diff', '--no-textconv', '--submodule=short', '--no-color'];

/** Two trees, and what differs between them that is not the run's. */
interface TreeSpan {
  readonly from: string;
  readonly to: string;
  /** Files that only somebody else changed, between turns. */
  readonly between: readonly string[];
  readonly isWhole: boolean;
}

/**
 * What a run changed from its first turn to its last, file by file; what somebody else did between its turns is told apart.
 *
 * @param turns names such as `7.1`, oldest first
 * @returns null where no snapshot of it is there
 */
export async function statRun(repository: Repository, runId: string, turns: readonly string[]): Promise<RunStat | null> {
  const span = await findSpan(repository, runId, turns);
  return span === null ? null : readStat(repository, span);
}

/** The same for one turn; null when it has not both snapshots. */
export async function statTurn(repository: Repository, runId: string, turn: string): Promise<RunStat | null> {
  const span = await findTurn(repository, runId, turn);
  return span === null ? null : readStat(repository, span);
}

/** What a run changed from its first turn to its last, as a patch for a person to read (binary files are named only); null where no snapshot of it is there. */
export async function diffRun(repository: Repository, runId: string, turns: readonly string[]): Promise<string | null> {
  const span = await findSpan(repository, runId, turns);
  return span === null ? null : readPatch(repository, span);
}

export async function diffTurn(repository: Repository, runId: string, turn: string): Promise<string | null> {
  const span = await findTurn(repository, runId, turn);
  return span === null ? null : readPatch(repository, span);
}

async function findTurn(repository: Repository, runId: string, turn: string): Promise<TreeSpan | null> {
  const trees = await readTrees(repository, runId);
  const from = trees.get(`${turn}/before`);
  const to = trees.get(`${turn}/after`);
  return from === undefined || to === undefined ? null : { from, to, between: [], isWhole: true };
}

async function findSpan(repository: Repository, runId: string, turns: readonly string[]): Promise<TreeSpan | null> {
  const trees = await readTrees(repository, runId);
  const names = sortNames(
    [...trees.keys()].filter((name) => MOMENT.test(name)),
    turns,
  );
  const from = trees.get(names.find((name) => !name.endsWith('/after')) ?? '');
  const last = names.at(-1);
  const to = last === undefined ? undefined : trees.get(last);
  if (from === undefined || to === undefined) return null;
  const isWhole = last === `${turns.at(-1) ?? ''}/after`;
  const own = await listChangedFiles(repository, runId, turns);
  if (own === null) return { from, to, between: [], isWhole };
  const listed = await repository.git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
  if (!listed.ok) return null;
  const isOwn = new Set(own);
  return { from, to, between: listed.stdout.split('\0').filter((name) => name !== '' && !isOwn.has(name)), isWhole };
}

const MOMENT = /^\d+\.\d+\/(?:opened|before|after)$/;

const MOMENTS = ['/opened', '/before', '/after'];

/** In the order in which the snapshots were made. One of another turn than these, which was cut off before it began, comes behind all with lower numbers. */
function sortNames(names: readonly string[], turns: readonly string[]): readonly string[] {
  const places = new Map(turns.map((turn, place) => [turn, place]));
  const toRank = (name: string): readonly number[] => {
    const turn = name.slice(0, name.indexOf('/'));
    const number = toTurnNumber(turn);
    const place = places.get(turn) ?? turns.findLastIndex((known) => toTurnNumber(known) < number) + 0.5;
    return [place, number, MOMENTS.findIndex((moment) => name.endsWith(moment))];
  };
  const ranked = names.map((name) => ({ name, rank: toRank(name) }));
  const compare = (one: (typeof ranked)[number], other: (typeof ranked)[number]): number =>
    one.rank.map((rank, index) => rank - (other.rank[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.sort(compare).map(({ name }) => name);
}

function toTurnNumber(turn: string): number {
  const [iteration = '0', attempt = '0'] = turn.split('.');
  return Number(iteration) * 10_000 + Number(attempt);
}

async function readStat(repository: Repository, span: TreeSpan): Promise<RunStat | null> {
  const args = ['diff-tree', ...PLAIN, '-z', '--raw', '--numstat', span.from, span.to, ...toExcluded(span)];
  const result = await repository.git(args);
  if (!result.ok) return null;
  const files = parseDiffStat(result.stdout);
  const sum = (count: (file: FileStat) => number | null): number => files.reduce((total, file) => total + (count(file) ?? 0), 0);
  return {
    files,
    added: sum((file) => file.added),
    removed: sum((file) => file.removed),
    between: toExcluded(span).length === 0 ? [] : span.between,
    isWhole: span.isWhole,
    prefix: repository.prefix,
  };
}

/** Everything but what was changed between turns. */
function toExcluded({ between }: TreeSpan): readonly string[] {
  if (between.length === 0 || between.length > MAX_EXCLUDED) return [];
  return ['--', ':(top)', ...between.map((path) => `:(top,exclude,literal)${path}`)];
}

async function readPatch(repository: Repository, span: TreeSpan): Promise<string | null> {
  const whole = await readPart(repository, span, toExcluded(span));
  if (whole !== null) return cutPatch(whole);
  // More than is read at once, so piece by piece, as far as anybody reads.
  const stat = await readStat(repository, span);
  return stat === null ? null : readPieces(repository, span, stat.files);
}

async function readPieces(repository: Repository, span: TreeSpan, files: readonly FileStat[]): Promise<string> {
  let patch = '';
  for (let start = 0; start < files.length; start += BATCH_FILES) {
    const batch = files.slice(start, start + BATCH_FILES);
    const part = await readPart(repository, span, toPaths(batch));
    if (part !== null) patch += part;
    else for (const file of batch) patch += (await readPart(repository, span, toPaths([file]))) ?? toTooLarge(file);
    if (patch.length > LONGEST_PATCH) return cutPatch(patch, files.length - start - batch.length);
  }
  return patch;
}

function toPaths(files: readonly FileStat[]): readonly string[] {
  const paths = files.flatMap(({ path, from }) => (from === null ? [path] : [from, path]));
  return ['--', ...paths.map((path) => `:(top,literal)${path}`)];
}

async function readPart({ git }: Repository, { from, to }: TreeSpan, paths: readonly string[]): Promise<string | null> {
  const result = await git(['diff-tree', ...PLAIN, '-p', from, to, ...paths]);
  return result.ok ? result.stdout : null;
}

function toTooLarge({ path }: FileStat): string {
  return `[the patch of ${JSON.stringify(path)} is too large to be shown]\n`;
}

function cutPatch(patch: string, leftFiles = 0): string {
  if (patch.length <= LONGEST_PATCH) return patch;
  const start = patch.slice(0, LONGEST_PATCH);
  const more = leftFiles === 0 ? '' : `, and ${leftFiles} more files changed`;
  return `${start.slice(0, start.lastIndexOf('\n') + 1)}[patch cut here: it is ${patch.length} characters long${more}]\n`;
}

const STATUSES: Readonly<Record<string, FileStat['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'changed',
  R: 'renamed',
  C: 'renamed',
  T: 'changed',
};
const SUBMODULE = '160000';

/**
 * What `git diff-tree -z --raw --numstat` prints: first a line with modes and a letter for each file, then its lines, each name with a zero byte behind
 * it. Pure; what cannot be read is left out.
 */
function parseDiffStat(output: string): readonly FileStat[] {
  const parts = output.split('\0');
  const files = new Map<string, FileStat>();
  for (let at = 0; at < parts.length; ) {
    const part = parts[at] ?? '';
    const raw = /^:(\d{6}) (\d{6}) \S+ \S+ ([A-Z])\d*$/.exec(part);
    const counts = raw === null ? /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(part) : null;
    if (raw !== null) {
      const isPair = raw[3] === 'R' || raw[3] === 'C';
      const path = parts[at + (isPair ? 2 : 1)] ?? '';
      files.set(path, toFile(raw, path, isPair ? (parts[at + 1] ?? '') : null));
      at += isPair ? 3 : 2;
    } else if (counts !== null) {
      const isPair = counts[3] === '';
      const path = isPair ? (parts[at + 2] ?? '') : (counts[3] ?? '');
      const file = files.get(path);
      if (file !== undefined) files.set(path, { ...file, added: toNumber(counts[1]), removed: toNumber(counts[2]) });
      at += isPair ? 3 : 1;
    } else at += 1;
  }
  return [...files.values()];
}

function toFile(raw: RegExpExecArray, path: string, from: string | null): FileStat {
  const [, before = '', after = '', letter = ''] = raw;
  return {
    path,
    from,
    status: STATUSES[letter] ?? 'changed',
    added: null,
    removed: null,
    isSubmodule: before === SUBMODULE || after === SUBMODULE,
  };
}

function toNumber(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text);
}
