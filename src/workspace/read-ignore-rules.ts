import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Repository } from './find-repository.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of git on which it depends which files it lists. */
const SETTINGS = '^core\\.(excludesfile|ignorecase|precomposeunicode|worktree|sparsecheckout|sparsecheckoutcone|untrackedcache)$';
/** A larger file of rules is told by its size and times. */
const MAX_BYTES = 1 << 20;

/**
 * A hash of what git passes over by other rules than those in files that it lists itself: `info/exclude`, `core.excludesFile`, and every `.gitignore`
 * that hides itself. With it a file that somebody hides is noticed by the rule that hides it.
 */
export async function readIgnoreRules({ git, top, isOwnState }: Repository, env: Environment): Promise<string> {
  const [exclude, settings, ignored] = await Promise.all([
    git(['rev-parse', '--git-path', 'info/exclude']),
    git(['config', '--null', '--type=path', '--get-regexp', SETTINGS]),
    git(['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']),
  ]);
  const files = [
    resolve(top, exclude.stdout.replace(/\n$/, '')),
    ...listDefaults(env),
    ...listExcludeFiles(settings.stdout).map((path) => resolve(top, path)),
    ...ignored.stdout.split('\0').flatMap((path) => (isOwnState(path) ? [] : toRuleFile(top, path))),
  ];
  const hash = createHash('sha256').update(`${settings.exitCode}\0${settings.stdout}\0`);
  for (const path of [...new Set(files)].sort()) {
    const rules = readRules(path);
    if (rules !== null) hash.update(`${path}\0${rules}\0`);
  }
  return hash.digest('hex').slice(0, 40);
}

/** Where git looks when no other file is named. */
function listDefaults({ XDG_CONFIG_HOME: config = '', HOME: home = '' }: Environment): readonly string[] {
  return [...(config === '' ? [] : [join(config, 'git/ignore')]), ...(home === '' ? [] : [join(home, '.config/git/ignore')])];
}

/** The values of `core.excludesFile` among entries of the form `key LF value NUL`. */
function listExcludeFiles(text: string): readonly string[] {
  return text.split('\0').flatMap((entry) => /^core\.excludesfile\n(.+)$/is.exec(entry)?.[1] ?? []);
}

function toRuleFile(top: string, path: string): readonly string[] {
  if (path.endsWith('/')) return [join(top, path, '.gitignore')];
  return path === '.gitignore' || path.endsWith('/.gitignore') ? [join(top, path)] : [];
}

/** `null` for no file. */
function readRules(path: string): string | null {
  try {
    const stats = lstatSync(path);
    const isRead = stats.size <= MAX_BYTES && (stats.isFile() || stats.isSymbolicLink());
    return isRead ? `text ${readFileSync(path, 'latin1')}` : `look ${stats.mode} ${stats.size} ${stats.mtimeMs}`;
  } catch {
    return null;
  }
}
