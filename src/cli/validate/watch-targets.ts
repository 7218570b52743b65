import { type FSWatcher, realpathSync, statSync, unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CONFIG_FILE_NAMES } from '../../config/keys/settings-table.ts';
import { type ReadText, readTextFile, type TextFile } from '../../config/layers/read-text-file.ts';
import { RalphError } from '../../core/values/errors.ts';
import { tryOr } from '../../core/values/result.ts';
import type { CliContext } from '../cli-context.ts';
import { toLocalClock } from '../terminal/local-time.ts';
import { type CheckedTarget, checkTarget, NO_FILE, type Target, toRefusedTarget, type ValidateFlags } from './check-files.ts';
import { printRefusals, printReport, toSummary } from './print-report.ts';

/** Editors write in several steps; for so long nothing may happen before the files are read. */
const SETTLE_MS = 10;
/** A file that lost its text or is gone is looked at again after so long, so often: it may be in the middle of a save. */
const BLANK_MS = 30;
const BLANK_CHECKS = 2;

/** What was read for a check, by absolute path; '' for a file that is empty or not there. */
type Readings = Map<string, string>;

/** What is to be checked: asked anew for each check, because files come and go. */
export type FindTargets = () => Promise<readonly Target[]>;

/** Checks now and whenever a file that took part is saved, until Ctrl+C; the result is the exit code. */
export function watchTargets(context: CliContext, findTargets: FindTargets, flags: ValidateFlags): Promise<number> {
  return new Promise((done, fail) => {
    let timer: NodeJS.Timeout | null = null;
    let isStopped = false;
    const settle = (waitMs: number): void => {
      if (isStopped) return;
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(check, waitMs);
    };
    const watcher = createFileWatcher(() => settle(SETTLE_MS));
    const reporter = createReporter(context, findTargets, flags);
    const stop = (): void => {
      isStopped = true;
      for (const [signal, listener] of listeners) context.signals.off(signal, listener);
      if (timer !== null) clearTimeout(timer);
      watcher.close();
    };
    const check = (): void => {
      timer = null;
      const listen = (paths: Iterable<string>): void => {
        if (!isStopped && watcher.follow(paths)) settle(SETTLE_MS);
      };
      reporter(listen).then(
        (isSettled) => (isSettled ? undefined : settle(BLANK_MS)),
        (error: unknown) => {
          stop();
          fail(error);
        },
      );
    };
    const endWith = (exitCode: number) => (): void => {
      stop();
      done(exitCode);
    };
    const listeners = [
      ['SIGINT', endWith(130)],
      ['SIGTERM', endWith(143)],
      ['SIGHUP', endWith(129)],
    ] as const;
    for (const [signal, listener] of listeners) context.signals.on(signal, listener);
    check();
  });
}

/** Checks and prints what is new; `listen` is told which files took part. False for what is probably half of a save: nothing is printed then. */
function createReporter(
  context: CliContext,
  findTargets: FindTargets,
  flags: ValidateFlags,
): (listen: (paths: Iterable<string>) => void) => Promise<boolean> {
  const check = createWatchedCheck(context, findTargets);
  const print = createPrinter(context, flags);
  let before: Readings = new Map();
  let shown = '';
  let blankChecks = 0;
  return async (listen) => {
    const { checked, readings, commit } = await check();
    listen(readings.keys());
    blankChecks = hasLostText(before, readings) ? blankChecks + 1 : 0;
    if (blankChecks > 0 && blankChecks <= BLANK_CHECKS) return false;
    blankChecks = 0;
    commit();
    const next = JSON.stringify(checked.map((target) => [target.name, target.checked.diagnostics]));
    const isSame = next === shown;
    const isUntouched = JSON.stringify([...readings]) === JSON.stringify([...before]);
    before = readings;
    shown = next;
    if (!isSame || !isUntouched) await print(checked, isSame);
    return true;
  };
}

interface WatchedCheck {
  readonly checked: readonly CheckedTarget[];
  readonly readings: Readings;
  /** To be called if the check counts: what it found is what a later one compares with. */
  readonly commit: () => void;
}

/** Checks, and notes what was read. A folder whose own configuration goes away is not one that never had any. */
function createWatchedCheck(context: CliContext, findTargets: FindTargets): () => Promise<WatchedCheck> {
  let found: string | null = null;
  return async () => {
    const targets = await findTargets();
    const readings: Readings = new Map(CONFIG_FILE_NAMES.map((name) => [resolve(context.cwd, name), '']));
    const readText = createRecorder(readings);
    const checked = targets.map((target) =>
      found !== null && target.name === NO_FILE ? toGone(found) : checkTarget({ ...target, request: { ...target.request, readText } }),
    );
    const own = targets.find((target) => target.name !== NO_FILE)?.name;
    const commit = (): void => {
      found = own ?? found;
    };
    return { checked, readings, commit };
  };
}

function toGone(name: string): CheckedTarget {
  const what = `${name} is not there any more.`;
  const fix = 'It is checked again as soon as it is back.';
  return toRefusedTarget(name, new RalphError({ code: 'config-missing', what, fix, exitCode: 2 }));
}

/** True if a file that had a text has none now. */
function hasLostText(before: Readings, after: Readings): boolean {
  return [...after].some(([path, text]) => text === '' && (before.get(path) ?? '') !== '');
}

function createPrinter(
  context: CliContext,
  flags: ValidateFlags,
): (checked: readonly CheckedTarget[], isAsBefore: boolean) => Promise<void> {
  return async (checked, isAsBefore) => {
    if (flags.format !== 'human') return printReport(context, checked, flags);
    const { style, out } = context.terminal;
    const time = style('faint', toLocalClock(context.now()));
    if (isAsBefore) {
      for (const target of checked) out(`${time} ${toSummary(target, style, flags.strict === true)}, as before\n`);
      return;
    }
    out(`${time}\n`);
    printRefusals(context, checked);
    await printReport(context, checked, flags);
  };
}

function createRecorder(readings: Readings): ReadText {
  return (path, maxBytes, kind) => {
    const file = readTextFile(path, maxBytes, kind);
    readings.set(resolve(path), toFingerprint(file));
    return file;
  };
}

function toFingerprint(file: TextFile): string {
  if (file.ok) return file.value.trim() === '' ? '' : file.value;
  return file.refused.kind === 'missing' ? '' : `\0${file.refused.kind}`;
}

/** Tells when one of a set of files is changed, made, removed or replaced. */
interface FileWatcher {
  /** From now on these files (absolute paths) and no others; they need not be there. True if a change just before it may have been missed. */
  readonly follow: (paths: Iterable<string>) => boolean;
  readonly close: () => void;
}

/** Where the system cannot tell about changes, files are looked at this often. */
const POLL_MS = 500;

/**
 * Watches files by their folders: an editor that writes a new file and moves it over the old one would be lost otherwise. For a folder that is
 * not there the nearest one above it is watched.
 */
function createFileWatcher(onChange: () => void): FileWatcher {
  const folders = new Map<string, WatchedFolder>();
  const polled = new Set<string>();
  const poll = (path: string): void => {
    if (polled.has(path)) return;
    polled.add(path);
    watchFile(path, { interval: POLL_MS }, onChange);
  };
  const follow = (paths: Iterable<string>): boolean => {
    const wanted = groupByFolder(paths);
    let isNew = false;
    for (const [folder, watched] of folders) {
      if (wanted.has(folder) && inodeOf(folder) === watched.inode) continue;
      watched.watcher?.close();
      folders.delete(folder);
    }
    for (const [folder, files] of wanted) {
      const watched = folders.get(folder);
      if (watched !== undefined) watched.files = files;
      else {
        folders.set(folder, watchFolder(folder, files, { onChange, poll }));
        isNew = true;
      }
    }
    return isNew;
  };
  const close = (): void => {
    for (const { watcher } of folders.values()) watcher?.close();
    for (const path of polled) unwatchFile(path, onChange);
    folders.clear();
    polled.clear();
  };
  return { follow, close };
}

interface WatchedFolder {
  /** `null` where its files are looked at again and again instead. */
  readonly watcher: FSWatcher | null;
  readonly inode: number | null;
  /** Whole paths; `null` for a folder that is watched because one below it is not there. */
  files: ReadonlySet<string> | null;
}

interface Reactions {
  readonly onChange: () => void;
  readonly poll: (path: string) => void;
}

function watchFolder(folder: string, files: WatchedFolder['files'], { onChange, poll }: Reactions): WatchedFolder {
  const inode = inodeOf(folder);
  const pollAll = (): void => {
    for (const path of watched.files ?? [folder]) poll(path);
  };
  let watched: WatchedFolder = { watcher: null, inode, files };
  try {
    const watcher = watch(folder, (_kind, name) => {
      const isOurs = name === null || watched.files === null || name === basename(folder);
      if (isOurs || [...(watched.files ?? [])].some((path) => basename(path) === name)) onChange();
    });
    watched = { watcher, inode, files };
    watcher.on('error', () => {
      pollAll();
      onChange();
    });
  } catch {
    pollAll();
  }
  return watched;
}

/** The folders to watch, each with the files in it that matter: as they are named and, behind links, as they are called. */
function groupByFolder(paths: Iterable<string>): ReadonlyMap<string, ReadonlySet<string> | null> {
  const groups = new Map<string, Set<string> | null>();
  for (const path of paths) {
    for (const name of new Set([path, tryOr(() => realpathSync(path), path)])) {
      const folder = dirname(name);
      const existing = nearestFolder(folder);
      const group = groups.get(existing);
      if (existing !== folder) groups.set(existing, null);
      else if (group === undefined) groups.set(existing, new Set([name]));
      else group?.add(name);
    }
  }
  return groups;
}

function nearestFolder(folder: string): string {
  for (let candidate = folder; ; candidate = dirname(candidate)) {
    if (inodeOf(candidate) !== null || dirname(candidate) === candidate) return candidate;
  }
}

/** `null` where there is no such folder. */
function inodeOf(folder: string): number | null {
  return tryOr(() => {
    const stats = statSync(folder);
    return stats.isDirectory() ? stats.ino : null;
  }, null);
}
