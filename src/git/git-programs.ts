import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { readOwn } from '../core/values/json.ts';
import { accept, type Result, refuse } from '../core/values/result.ts';
import type { Git, GitPrograms, ProgramFindings } from './contract.ts';
import { toLookThrough } from './file-names.ts';
import { readGitPlaces } from './git-places.ts';
import { isOverridden } from './harden-git.ts';

/** What git runs on the content of files: filters, what merges two versions of one; and what looks at signatures, with the settings that ask for it. */
const ON_CONTENT =
  /^(?:filter\..+\.(?:clean|smudge|process|required)|merge\..+\.driver|gpg\.(?:.+\.)?(?:program|defaultkeycommand)|merge\.verifysignatures|log\.showsignature|core\.alternaterefscommand)$/s;
/** By what git speaks to others: for an object that is missing it does so on its own in a partial clone. */
const TO_OTHERS =
  /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\.(?:.*\.)?helper|remote\..*\.(?:vcs|uploadpack|receivepack)|protocol\..*allow)$/s;
/** What decides how git stores a file, and where and with which rights. Whatever they say, nobody but git does it then. */
const ON_STORING =
  /^(?:core\.(?:autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|attributesfile|sharedrepository|worktree|sparsecheckout)|attr\.tree|extensions\..*)$/s;
const USUAL: Readonly<Record<string, string>> = {
  'core.autocrlf': 'false',
  'core.filemode': 'true',
  'core.symlinks': 'true',
  'core.ignorecase': 'false',
  'core.sparsecheckout': 'false',
  'extensions.worktreeconfig': 'true',
};
const INCLUDE = /^include(?:if\..*)?\.path$/s;

/** Reads the programs that git's configuration names; none where git cannot tell. Never rejects. */
export async function readGitPrograms(git: Git): Promise<GitPrograms> {
  const listed = await listConfig(git);
  return toPrograms(listed.ok ? listed.value : []);
}

export interface GuardedRepository {
  /** Absolute. */
  readonly top: string;
  readonly gitDir: string;
  readonly env: Environment;
  /** Git at the top, unguarded. */
  readonly git: Git;
}

/**
 * Compares git's configuration with what it was at the start of a run. Git is asked only when a file of its configuration looks different from the
 * last time. Never rejects.
 *
 * @param trusted what may be run
 */
export function createProgramGuard(repository: GuardedRepository, trusted: GitPrograms): () => Promise<ProgramFindings> {
  let last: { readonly look: string; readonly files: readonly string[]; readonly findings: ProgramFindings } | null = null;
  return async () => {
    const standing = listStanding(repository);
    if (last !== null && last.look === toLooks([...standing, ...last.files])) return last.findings;
    // The look comes first: what changes while git reads is found the next time.
    const before = toLooks(standing);
    const listed = await listConfig(repository.git);
    const entries = listed.ok ? listed.value : [];
    const files = [...new Set(entries.flatMap((entry) => listFiles(entry, repository)))].sort();
    const look = before === toLooks(standing) ? toLooks([...standing, ...files]) : null;
    const excludeFiles = listed.ok ? listExcludeFiles(entries, repository) : null;
    const storesPlainly = listed.ok && !entries.some(({ key, value }) => ON_STORING.test(key) && USUAL[key] !== value.toLowerCase());
    const seen = toFindings(toPrograms(entries), trusted, repository.env);
    // What cannot be read is guarded as if it were empty; that it was changed nobody knows.
    const findings = { ...seen, ...(!listed.ok && { keys: [], now: {} }), look, excludeFiles, storesPlainly };
    // Of one that could not be read nobody knows which files it has.
    last = look === null || !listed.ok ? null : { look, files, findings };
    return findings;
  };
}

interface ConfigEntry {
  /** `local` and `worktree` are the repository's own, which whoever can write in it may have planted. */
  readonly scope: string;
  /** The file that it stands in, as git names it; empty for none. */
  readonly file: string;
  /** As git prints it: section and variable in lower case, the middle as written. */
  readonly key: string;
  readonly value: string;
}

/** All of git's configuration, without the overrides of every command line. */
async function listConfig(git: Git): Promise<Result<readonly ConfigEntry[], string>> {
  const { ok, stdout, problem } = await git(['config', '--list', '-z', '--includes', '--show-scope', '--show-origin']);
  return ok ? accept(parseConfig(stdout)) : refuse(problem);
}

function parseConfig(text: string): readonly ConfigEntry[] {
  const parts = text.split('\0');
  const entries = Array.from({ length: Math.floor(parts.length / 3) }, (_, index) => {
    const [scope = '', origin = '', said = ''] = parts.slice(index * 3, index * 3 + 3);
    const end = said.indexOf('\n');
    const file = origin.startsWith('file:') ? origin.slice('file:'.length) : '';
    return { scope, file, key: end < 0 ? said : said.slice(0, end), value: end < 0 ? '' : said.slice(end + 1) };
  });
  return entries.filter(({ file, key }) => file !== '' || !isOverridden(key));
}

/** Of several values git takes the last. */
function toPrograms(entries: readonly ConfigEntry[]): GitPrograms {
  return Object.fromEntries(entries.filter(({ key }) => ON_CONTENT.test(key) || TO_OTHERS.test(key)).map(({ key, value }) => [key, value]));
}

function toFindings(now: GitPrograms, trusted: GitPrograms, env: GuardedRepository['env']): Pick<ProgramFindings, 'keys' | 'now' | 'env'> {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(trusted)])]
    .filter((key) => readOwn(now, key) !== readOwn(trusted, key))
    .sort();
  const said = Object.fromEntries(keys.map((key) => [key, readOwn(now, key) ?? null]));
  if (keys.length === 0) return { keys, now: said, env: {} };
  const onContent = keys.filter((key) => ON_CONTENT.test(key));
  const settings = onContent.map((key) => [key, readOwn(trusted, key) ?? toNothing(key)] as const);
  const begin = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${begin + index}`, key] as const,
    [`GIT_CONFIG_VALUE_${begin + index}`, value] as const,
  ]);
  return {
    keys,
    now: said,
    env: {
      ...(settings.length === 0 ? {} : { GIT_CONFIG_COUNT: String(begin + settings.length), ...Object.fromEntries(numbered) }),
      ...(keys.length === onContent.length ? {} : { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }),
    },
  };
}

/** A filter may be empty; an empty merge driver would pass for one that did its work, and the program `false` says that there is a conflict, or no signature. */
function toNothing(key: string): string {
  return key.startsWith('filter.') && !key.endsWith('.required') ? '' : 'false';
}

/** Files that git reads where they are there, and the branch, on which an inclusion may depend. */
function listStanding({ top, gitDir, env }: GuardedRepository): readonly string[] {
  const { gitDir: own, commonDir } = readGitPlaces(top, gitDir);
  const home = env['HOME'] ?? homedir();
  return [
    join(top, '.git'),
    join(own, 'commondir'),
    join(commonDir, 'config'),
    join(own, 'config.worktree'),
    join(own, 'HEAD'),
    env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig',
    ...(env['GIT_CONFIG_GLOBAL'] === undefined
      ? [join(home, '.gitconfig'), join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config')]
      : [env['GIT_CONFIG_GLOBAL']]),
  ];
}

/** The file of an entry, and the one that it includes, which need not be there yet. */
function listFiles({ file, key, value }: ConfigEntry, { top, env }: GuardedRepository): readonly string[] {
  const own = file === '' ? [] : [resolve(top, file)];
  if (!INCLUDE.test(key)) return own;
  const path = value.replace(/^~(?=\/)/, env['HOME'] ?? homedir());
  return [...own, isAbsolute(path) || own[0] === undefined ? path : join(dirname(own[0]), path)];
}

/** What stands for a folder that only git knows, or for another person's. */
const UNKNOWN_FOLDER = /^(?:%\(|~[^/])/;

function listExcludeFiles(entries: readonly ConfigEntry[], { top, env }: GuardedRepository): readonly string[] | null {
  const home = env['HOME'] ?? homedir();
  const named = entries.flatMap(({ key, value }) => (key === 'core.excludesfile' && value !== '' ? [value] : []));
  if (named.some((path) => UNKNOWN_FOLDER.test(path))) return null;
  // Git takes an empty variable for none.
  const usual = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'ignore');
  return [usual, ...named.map((path) => resolve(top, path.replace(/^~(?=\/)/, home)))];
}

function toLooks(files: readonly string[]): string {
  // Whoever can write in the repository may have put a link in the place of a file.
  return files.map((file) => toLookThrough(file) ?? '-').join('\n');
}

/** What the repository's own configuration would have git do, for a git that an agent steers. */
export interface OwnConfig {
  /** Settings that switch off what can be, each as `name=value`. */
  readonly overrides: readonly string[];
  /** Filters of the repository that are switched off, by name. */
  readonly filters: readonly string[];
  /** Settings that decide where a push goes, by which program, and who gets to see what signs it in. */
  readonly network: readonly string[];
  /** Settings that cannot be written over. */
  readonly stubborn: readonly string[];
}

const FILTER = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
const NETWORK =
  /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\..*|url\..*\.(?:push)?insteadof|remote\..*\.(?:vcs|receivepack|uploadpack|proxy|proxyauthmethod)|ssh\.variant|protocol\..*|push\.(?:gpgsign|recursesubmodules))$/s;
/** Of `http.*` these say nothing about who is spoken to. A header is only sent to the address it is given for. */
const HARMLESS_HTTP = /^http\.(?:.*\.)?(?:extraheader|postbuffer|version|lowspeedlimit|lowspeedtime|maxrequests|minsessions|useragent)$/s;

/**
 * Reads off the repository's own configuration what must not have its way.
 *
 * Git starts programs that its configuration names. Fixed ones (hooks, the file system monitor, editors, pagers, gpg) are switched off by every
 * command; what has a name in the middle (`filter.<name>.clean`) can only be switched off where it is known. The person's own configuration
 * (`--global`) is theirs and stays.
 */
function toOwnConfig(entries: readonly ConfigEntry[]): OwnConfig {
  const own = entries.filter(({ scope }) => scope === 'local' || scope === 'worktree');
  const filters = [...new Set(own.flatMap(({ key }) => FILTER.exec(key)?.[1] ?? []))];
  // `-c name=value` ends the name at the first `=`, and a line feed cannot stand in a name of ours.
  const [stubborn, plain] = [filters.filter((name) => /[=\n\0]/.test(name)), filters.filter((name) => !/[=\n\0]/.test(name))];
  const overrides = plain.flatMap((name) => [
    ...['clean', 'smudge', 'process'].map((variable) => `filter.${name}.${variable}=`),
    `filter.${name}.required=false`,
  ]);
  const network = own.map(({ key }) => key).filter((key) => NETWORK.test(key) || (key.startsWith('http.') && !HARMLESS_HTTP.test(key)));
  return { overrides, filters, network: [...new Set(network)], stubborn: stubborn.map((name) => `filter.${name}`) };
}

/** Reads what the repository's own configuration would have git do; refused with what git says where it cannot be read whole. Never rejects. */
export async function readOwnConfig(git: Git): Promise<Result<OwnConfig, string>> {
  const listed = await listConfig(git);
  return listed.ok ? accept(toOwnConfig(listed.value)) : listed;
}
